import type { Response } from 'express';
import { escapeHtml } from '../../shared/text.ts';
import { securePage } from './page.ts';
import type { Page } from './page.ts';

const STYLE = `:root{color-scheme:light dark}
body{font-family:system-ui,sans-serif;line-height:1.5;max-width:40rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}
button{font:inherit;color:inherit;background:none;display:block;width:100%;margin:.75rem 0;padding:.75rem 1rem;border:1px solid GrayText;border-radius:.4rem;cursor:pointer;text-align:start}
button:focus-visible{outline:3px solid Highlight;outline-offset:2px}
ul{list-style:none;padding:0}li{display:flex;gap:1rem;align-items:center;padding:.75rem 0;border-top:1px solid GrayText}
img{width:64px;height:64px;object-fit:cover;border-radius:.4rem}
.quiet{opacity:.8;margin:0}`;

/** A page behind a link in a message: words and a form at most, no script, no file, the reader's own colours. `content` is HTML. */
export function linkedPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body>
</html>`;
}

/** Sends such a page; the address is the reader's proof, so nobody whom the page leads to learns it. */
export function sendLinkedPage(res: Response, status: number, html: string, csp: Page['csp'] = {}): void {
  securePage(res, { 'style-src': "'unsafe-inline'", 'script-src': "'none'", ...csp });
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Robots-Tag', 'noindex');
  res.status(status).type('html').send(html);
}
