import type { Express, Request, Response } from 'express';
import { fail } from '../../platform/errors.ts';
import { escapeHtml } from '../../platform/text.ts';
import { REPOSITORY, VERSION } from '../../platform/version.ts';
import { nameRoute } from '../access-log.ts';
import { makeAsset, readPublic, sendAsset } from './assets.ts';

export type HtmlPage = {
  /** As in tools/bundle.mjs. */
  bundle: string;
  title: string;
  description: string;
  /** HTML inside <body>. */
  body: string;
  /** The bar with links to the other pages; the demo shop is not everywhere. */
  bar?: { hasDemo: boolean };
  /** Given to the page's script as JSON in the element `#data`. */
  data?: unknown;
  /** What a page needs beyond files of its own origin. */
  csp?: Partial<Record<Directive, string>>;
  /** Whether it shows credentials of the demo store: no cache may store such a page. */
  isSecret?: boolean;
};

/** The URLs of a page's scripts and styles, which change with the content. */
type PageFiles = { scripts: string[]; styles: string[] };

const LINKS = {
  '/docs': 'API reference',
  '/graphiql': 'GraphiQL',
  '/client': 'Browser library',
  '/dashboard': 'Dashboard',
  '/demo': 'Demo shop',
  [REPOSITORY]: 'Source',
};

function siteBar(current: string, hasDemo: boolean): string {
  const links = Object.entries(LINKS)
    .filter(([href]) => hasDemo || href !== '/demo')
    .map(([href, name]) => `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${name}</a>`);
  return `<header class="bar">
  <a class="brand" href="/">wishgate</a>
  <nav aria-label="Pages">${links.join('')}</nav>
  <span class="version">Version ${VERSION}</span>
</header>
`;
}

type Directive = keyof typeof DEFAULT_CSP;

/** Everything from the same origin, nothing inline, no frames. */
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

/** Sets the headers of every page, in addition to those of every response. */
export function securePage(res: Response, csp: HtmlPage['csp'] = {}): void {
  const policy = Object.entries({ ...DEFAULT_CSP, ...csp }).map(([name, value]) => `${name} ${value}`);
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
}

async function renderPage(route: string, page: HtmlPage): Promise<string> {
  const { bundle, title, description, body, bar, data } = page;
  const manifest = JSON.parse(await readPublic('manifest.json')) as Record<string, PageFiles>;
  const { scripts, styles } = manifest[bundle] ?? fail('not-found', `The page ${bundle} is not built`);
  // Browsers do not run a JSON block, so the policy needs no exception for it.
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
${bar ? siteBar(route, bar.hasDemo) : ''}${body}
${json}
</body>
</html>
`;
}

export function servePage(
  app: Express,
  route: string,
  make: (req: Request) => HtmlPage | Promise<HtmlPage>,
): void {
  app.get(route, async (req, res) => {
    nameRoute(res, route);
    const page = await make(req);
    const html = await renderPage(route, page);
    securePage(res, page.csp);
    res.setHeader('Cache-Control', page.isSecret ? 'no-store' : 'no-cache');
    await sendAsset(req, res, makeAsset('text/html; charset=utf-8', Buffer.from(html)));
  });
}
