import type { Request, Response } from 'express';
import { nameRoute } from '../access-log.ts';
import { filesOfPage, makeAsset, sendAsset } from './assets.ts';
import { escapeHtml } from '../../platform/text.ts';

/** A page of the service: the bundle it loads, and what stands in its HTML. */
export type Page = {
  /** Name of the bundle, as in tools/bundle.mjs. */
  bundle: string;
  title: string;
  description: string;
  /** HTML inside <body>; the default is one empty element `#app` for a script to fill. */
  body?: string;
  /** Given to the page's script as JSON in the element `#data`. */
  data?: unknown;
  /** Allowances beyond the page's own files, for viewers that others wrote. */
  csp?: Partial<Record<Directive, string>>;
  /** Whether credentials of the demo store are on it: no cache keeps such a page. */
  isSecret?: boolean;
};

type Directive = keyof typeof DEFAULT_CSP;

/** Everything from the service itself, nothing inline, nobody frames it. */
const DEFAULT_CSP = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

/** Sets the headers that every page carries beside those of every answer. */
export function securePage(res: Response, csp: Page['csp'] = {}): void {
  const policy = Object.entries({ ...DEFAULT_CSP, ...csp }).map(([name, value]) => `${name} ${value}`);
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
}

/** The page's HTML. */
async function renderPage({
  bundle,
  title,
  description,
  body = '<div id="app"></div>',
  data,
}: Page): Promise<string> {
  const { scripts, styles } = await filesOfPage(bundle);
  // A JSON block is no script to a browser, so the policy needs no exception for it.
  const json =
    data === undefined
      ? ''
      : `<script id="data" type="application/json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('\n')}
</head>
<body>
${body}
${json}
</body>
</html>
`;
}

/** Serves a page at the route named `route`; one that differs by who asks is made for each request. */
export function createPage(route: string, page: Page | ((req: Request) => Page | Promise<Page>)) {
  return async (req: Request, res: Response): Promise<void> => {
    nameRoute(res, route);
    const made = typeof page === 'function' ? await page(req) : page;
    const html = await renderPage(made);
    securePage(res, made.csp);
    res.setHeader('Cache-Control', made.isSecret ? 'no-store' : 'no-cache');
    await sendAsset(req, res, makeAsset('text/html; charset=utf-8', Buffer.from(html)));
  };
}
