import type { Application, Request, Response } from 'express';
import { plainOrigin } from '../../platform/origin.ts';
import { DEFAULT_COLOUR, escapeHtml, textOn } from '../../platform/text.ts';
import { pidOfLink } from '../../shoppers/contacts/link.rules.ts';
import { nameRoute } from '../access-log.ts';
import type { AdmitLink } from '../authenticate.ts';
import { securePage } from './page.ts';

export type PageBrand = { name: string; logoUrl: string | null; colour: string | null };

/** A page behind a link, and the sources that its pictures may come from. */
export type TokenPage = { html: string; images: string };

const STYLE = `:root{color-scheme:light dark;--page:#f4f4f5;--card:#fff;--ink:#18181b;--soft:#52525b;--line:#d4d4d8;--edge:var(--brand)}
@media (prefers-color-scheme:dark){:root{--page:#111113;--card:#1f1f23;--ink:#f4f4f5;--soft:#b6b6be;--line:#52525b;--edge:#8e8e98}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.brand{padding:2rem 1rem 1.25rem;font-size:1.125rem;font-weight:700;text-align:center}
.brand img{height:40px;max-width:240px;object-fit:contain;vertical-align:middle}
main{width:min(40rem,100% - 2rem);margin:0 auto 3rem;padding:1.75rem 1.5rem;background:var(--card);border-radius:12px}
body>main:first-child{margin-top:3rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem}
a{color:inherit}
.quiet{color:var(--soft);margin:0}
.button{display:block;width:100%;margin:.75rem 0 0;padding:.75rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:none;border:1px solid var(--line);border-radius:8px;cursor:pointer}
.primary{color:var(--on-brand);background:var(--brand);border-color:var(--edge)}
.button:hover{filter:brightness(.94)}
.button:focus-visible,a:focus-visible{outline:3px solid Highlight;outline-offset:2px}
.aside{margin-top:1.5rem;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.875rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`;

/** A page behind a link in a message: text and a form, no script, no file but the store's logo. `content` is HTML. */
export function tokenPage(
  title: string,
  content: string,
  brand: PageBrand | null = null,
  { style = '', images = [] }: { style?: string; images?: readonly string[] } = {},
): TokenPage {
  const colour = brand?.colour ?? DEFAULT_COLOUR;
  const name = escapeHtml(brand?.name ?? '');
  const logo = brand?.logoUrl ?? '';
  // Checked again here, because a logo may have been set before its host was checked.
  const logoOrigin = logo === '' ? null : plainOrigin(logo);
  const mark = logoOrigin === null ? name : `<img src="${escapeHtml(logo)}" alt="${name}">`;
  const colours = `:root{--brand:${colour};--on-brand:${textOn(colour)}}`;
  const html = `<!doctype html>
<html lang="en" dir="auto">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title><style>${colours}
${STYLE}${style}</style></head>
<body>${brand === null ? '' : `<header class="brand">${mark}</header>`}<main><h1 dir="auto">${escapeHtml(title)}</h1>${content}</main></body>
</html>`;
  const sources = [...(logoOrigin === null ? [] : [logoOrigin]), ...images];
  return { html, images: sources.join(' ') || "'none'" };
}

/** Sends the page, or `missing` with 404. The address is a credential, so no referrer reveals it. */
export function sendTokenPage(res: Response, page: TokenPage | null, missing: TokenPage): void {
  const { html, images } = page ?? missing;
  securePage(res, { 'style-src': "'unsafe-inline'", 'script-src': "'none'", 'img-src': images });
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Robots-Tag', 'noindex');
  res
    .status(page ? 200 : 404)
    .type('html')
    .send(html);
}

type Render = (token: string, req: Request, res: Response) => Promise<TokenPage | null>;

/** Serves pages whose path has a token of a store, by method; the first path names them all in logs and metrics. */
export function serveTokenPages(
  app: Application,
  admitLink: AdmitLink,
  paths: [string, ...string[]],
  missing: TokenPage,
  pages: { get?: Render; post: Render },
): void {
  for (const [method, render] of Object.entries(pages) as ['get' | 'post', Render][])
    app[method](paths, async (req, res) => {
      nameRoute(res, paths[0]);
      const token = String(req.params['token']);
      await admitLink(req, res, pidOfLink(token) ?? '');
      sendTokenPage(res, await render(token, req, res), missing);
    });
}
