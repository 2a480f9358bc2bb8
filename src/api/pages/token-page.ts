import type { Application, Request, Response } from 'express';
import { absoluteUrl } from '../../alerts/compose/model.rules.ts';
import { shopUrl } from '../../alerts/compose/shop.rules.ts';
import type { Services } from '../../context.ts';
import {
  LANGUAGES,
  directionOf,
  readLanguage,
  shippedLanguage,
  translator,
} from '../../platform/messages.ts';
import type { MessageKey } from '../../platform/messages.ts';
import { plainOrigin } from '../../platform/origin.ts';
import { DEFAULT_COLOUR, escapeHtml, textOn } from '../../platform/text.ts';
import { pidOfLink } from '../../shoppers/contacts/link.rules.ts';
import { findLinkStore } from '../../shoppers/contacts/opt-out.service.ts';
import { nameRoute } from '../access-log.ts';
import { admitLink } from '../authenticate.ts';
import { securePage } from './page.ts';

type PageStore = { name: string; logoUrl: string | null; colour: string | null } & Parameters<
  typeof shopUrl
>[0];

/** Whose page it is, and in which language. */
export type View = { store: PageStore | null; language: string; productUrl?: string | null };

/** The language that the URL asks for. */
const langOf = ({ query }: Request): string | null =>
  typeof query['lang'] === 'string' ? readLanguage(query['lang']) : null;

/** The language of a page about no contact: what the URL asks for, else the store's, else what the browser prefers. */
export const languageFor = (req: Request, store: { locale: string } | null): string =>
  shippedLanguage(langOf(req), store?.locale ?? null, req.acceptsLanguages(['en', ...LANGUAGES]) || null);

/** A page behind a link, and the sources that its pictures may come from. */
export type TokenPage = { html: string; images: string };

/** The look of every page without scripts; inline, so that such a page also works where nothing was built. */
export const STYLE = `:root{color-scheme:light dark;--page:#f4f4f5;--card:#fff;--ink:#18181b;--soft:#52525b;--line:#d4d4d8;--edge:var(--brand)}
@media (prefers-color-scheme:dark){:root{--page:#111113;--card:#1f1f23;--ink:#f4f4f5;--soft:#b6b6be;--line:#52525b;--edge:#8e8e98}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.brand,.back{width:min(40rem,100% - 2rem);margin:0 auto;padding:2rem 1.5rem 1.25rem}
.brand{font-size:1.125rem;font-weight:700}
.back{padding-top:0;padding-bottom:3rem}
.brand img{height:40px;max-width:240px;object-fit:contain;vertical-align:middle}
main{width:min(40rem,100% - 2rem);margin:0 auto 1.5rem;padding:1.75rem 1.5rem;background:var(--card);border-radius:12px}
body>main:first-child{margin-top:3rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem}
a{color:inherit}
.quiet{color:var(--soft);margin:0}
.button{display:block;width:100%;margin:.75rem 0 0;padding:.75rem 1.25rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--ink);background:none;border:1px solid var(--line);border-radius:8px;cursor:pointer}
.primary{color:var(--on-brand);background:var(--brand);border-color:var(--edge)}
.button:hover{filter:brightness(.94)}
.button:focus-visible,a:focus-visible{outline:3px solid Highlight;outline-offset:2px}
.quiet+form{margin-top:1rem}
fieldset{margin:0;padding:0;border:0}
legend{margin:0 0 .5rem;padding:0}
.option{display:flex;gap:.75rem;align-items:flex-start;padding:.5rem 0;cursor:pointer}
.option input{flex:none;width:1.25rem;height:1.25rem;margin:.125rem 0 0;accent-color:var(--edge)}
.aside{margin-top:1.5rem;padding-top:1.25rem;border-top:1px solid var(--line);font-size:.875rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`;

/** A page behind a link in a message: text and a form, no script, no file but the store's logo. `content` is HTML. */
export function tokenPage(
  { config }: Pick<Services, 'config'>,
  { store, language, productUrl = null }: View,
  title: string,
  content: string,
  { style = '', images = [] }: { style?: string; images?: readonly string[] } = {},
): TokenPage {
  const colour = store?.colour ?? DEFAULT_COLOUR;
  const name = escapeHtml(store?.name ?? '');
  const logo = store?.logoUrl ?? '';
  // Checked again here, because a logo may have been set before its host was checked.
  const logoOrigin = logo === '' ? null : plainOrigin(logo);
  const mark = logoOrigin === null ? name : `<img src="${escapeHtml(logo)}" alt="${name}">`;
  const colours = `:root{--brand:${colour};--on-brand:${textOn(colour)}}`;
  const back = escapeHtml(translator(language)('page.continue'));
  // A store without a shop URL is reached by the page of the link's product, if it has one.
  const home = (store && shopUrl(store, config.publicUrl)) ?? absoluteUrl(productUrl, null);
  const link =
    home && `<footer class="back"><a href="${escapeHtml(home)}" rel="noreferrer">${back}</a></footer>`;
  const html = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title><style>${colours}
${STYLE}${style}</style></head>
<body>${store === null ? '' : `<header class="brand"><bdi>${mark}</bdi></header>`}<main><h1><bdi>${escapeHtml(title)}</bdi></h1>${content}</main>${link ?? ''}</body>
</html>`;
  const sources = [...(logoOrigin === null ? [] : [logoOrigin]), ...images];
  return { html, images: sources.join(' ') || "'none'" };
}

/** Text under a heading, by the names of the messages. */
export function notePage(
  services: Services,
  view: View,
  title: MessageKey,
  text = `${title}.text` as MessageKey,
): TokenPage {
  const t = translator(view.language);
  return tokenPage(services, view, t(title), `<p>${escapeHtml(t(text))}</p>`);
}

/** The address is a credential, which the headers of every response protect: no cache, no referrer. */
export function sendTokenPage(res: Response, { html, images }: TokenPage, status = 200): void {
  securePage(res, { 'style-src': "'unsafe-inline'", 'script-src': "'none'", 'img-src': images });
  res.setHeader('X-Robots-Tag', 'noindex');
  res.status(status).type('html').send(html);
}

/** A page about a link's contact: the message in its heading, and HTML. */
export type LinkPage = [view: View, title: MessageKey, content: string];

/** `lang` is the language that the URL asks for. */
type Render = (token: string, lang: string | null, req: Request, res: Response) => Promise<LinkPage | null>;

/** Serves pages whose path has a token of a store, by method; the first path names them all in logs and metrics. */
export function serveTokenPages(
  app: Application,
  services: Services,
  paths: [string, ...string[]],
  missing: MessageKey,
  pages: { get?: Render; post: Render },
): void {
  for (const [method, render] of Object.entries(pages) as ['get' | 'post', Render][])
    app[method](paths, async (req, res) => {
      nameRoute(res, paths[0]);
      const token = String(req.params['token']);
      await admitLink(services, req, res, pidOfLink(token) ?? '');
      const page = await render(token, langOf(req), req, res);
      if (page) {
        const [view, title, content] = page;
        return sendTokenPage(res, tokenPage(services, view, translator(view.language)(title), content));
      }
      const store = await findLinkStore(services, token);
      sendTokenPage(res, notePage(services, { store, language: languageFor(req, store) }, missing), 404);
    });
}
