import type { Request } from 'express';
import type { Services } from '../../context.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { shownAddress } from '../loopback.ts';
import { shownOfDemo } from './graphiql-tabs.ts';
import type { Shown } from './graphiql-tabs.ts';
import { PICTURE } from './landing-picture.ts';
import type { HtmlPage } from './page.ts';

type PageLink = { href: string; name: string; text: string; mark: string };

const LINKS: PageLink[] = [
  {
    href: '/demo',
    name: 'Demo storefront',
    text: 'A small shop with hearts, lists, save for later and notify me. Click through everything in a minute.',
    mark: '<path d="M4 10h16l-1 10H5L4 10z"/><path d="M8 10V8a4 4 0 0 1 8 0v2"/>',
  },
  {
    href: '/dashboard',
    name: 'Merchant dashboard',
    text: 'Charts, waiting demand, alerts, templates, settings and shoppers of your store.',
    mark: '<path d="M4 20V4"/><path d="M4 20h16"/><path d="M8 16v-4M12.5 16V8M17 16v-6"/>',
  },
  {
    href: '/docs',
    name: 'API reference',
    text: 'Every REST call with its fields, answers and failures, ready to try.',
    mark: '<path d="M12 6.5C10 5 7 4.5 4 5v14c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V5c-3-.5-6 0-8 1.5z"/><path d="M12 6.5v14"/>',
  },
  {
    href: '/graphiql',
    name: 'GraphiQL',
    text: 'The same records over GraphQL, with the schema’s own manual beside your query.',
    mark: '<path d="M8 4c-3 0-1 7-4 8 3 1 1 8 4 8M16 4c3 0 1 7 4 8-3 1-1 8-4 8"/>',
  },
  {
    href: '/client',
    name: 'Browser library',
    text: 'One script tag for your storefront: no dependencies, typed, small. Its manual with examples.',
    mark: '<path d="M9 7l-5 5 5 5M15 7l5 5-5 5"/>',
  },
];

function link({ href, name, text, mark }: PageLink): string {
  return `<li><a class="card" href="${href}">
  <svg width="32" viewBox="0 0 24 24" fill="none" stroke="currentcolor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${mark}</svg>
  <span class="name">${name}</span>
  <span class="text">${text}</span>
  <span class="path">${href}</span>
</a></li>`;
}

/** Code on the landing page: it works as it is, or with placeholders where the demo store may not be shown. */
type Snippet = { title: string; text: string; code: string };

const IDENTIFY_BY_BACKEND = `  const headers = { 'content-type': 'application/json' };
  const identify = async () => (await fetch('/api/identify', { method: 'POST', headers })).json();`;

function identifyBy({ visitor }: Shown): string {
  return `  // A shopper of the demo store; in your shop, your back end says who the visitor is.
  const identify = async () => ({
    regid: '${visitor.regid}',
    sessionid: '${visitor.sessionid}',
  });`;
}

function snippetsFor(url: string, shown: Shown | null): Snippet[] {
  const pid = shown?.demo.pid ?? 'YOUR_PID';
  const key = shown?.demo.apiKey ?? 'YOUR_API_KEY';
  const regid = shown?.visitor.regid ?? 'REGID';
  const sessionid = shown?.visitor.sessionid ?? 'SESSIONID';
  return [
    {
      title: 'First call: who is the shopper?',
      text: 'Your back end asks with the store’s key and gets a lasting <code>regid</code> and a <code>sessionid</code>.',
      code: `curl ${url}/storeadmin/v3/user/generate-regid \\
  -u '${pid}:${key}' \\
  -d uuid=9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d -d useragenttype=web`,
    },
    {
      title: 'The shopper’s lists',
      text: 'Over GraphQL with the products inside; <a href="/docs">REST</a> answers the same.',
      code: `curl ${url}/graphql -H 'content-type: application/json' \\
  -H 'x-pid: ${pid}' \\
  -H 'x-regid: ${regid}' \\
  -H 'x-sessionid: ${sessionid}' \\
  -d '{"query":"{ lists { edges { node { lname items { edges { node { dt pr } } } } } } }"}'`,
    },
    {
      title: 'In your storefront',
      text: shown
        ? 'Save it as an HTML file and open it: it works as it stands.'
        : 'One script; <code>/api/identify</code> is your back end’s answer to the first call.',
      code: `<script src="${url}/client/wishgate.js"></script>
<script>
${shown ? identifyBy(shown) : IDENTIFY_BY_BACKEND}
  const client = wishgate.init({ baseUrl: '${url}', pid: '${pid}', identify });
  const show = ({ lname, cnt }) => \`\${lname}: \${cnt} \`;
  client.fetchLists({ callbackFn: (lists) => document.body.append(...lists.map(show)) });
</script>`,
    },
  ];
}

/** `title` and `text` are HTML; `code` is shown as it is. */
function step({ title, text, code }: Snippet): string {
  return `<li><h3>${title}</h3><p>${text}</p><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></li>`;
}

/** The demo's dashboard opens without a key, so it is only for a browser on the same machine. */
function demoButtons(isOwn: boolean): string {
  const dashboard = isOwn
    ? '<form method="post" action="/dashboard/demo"><button class="button quiet">Open the demo dashboard</button></form>'
    : '';
  return `<div class="buttons"><a class="button" href="/demo">Open the demo shop</a>${dashboard}</div>`;
}

function body(url: string, shown: Shown | null, hasDemo: boolean): string {
  const links = LINKS.filter(({ href }) => hasDemo || href !== '/demo');
  return `<div class="wrap">
<header>
  <svg width="72" viewBox="0 0 48 48" fill="currentcolor" aria-hidden="true"><path d="M6 44V20a18 18 0 0 1 36 0v24" fill="none" stroke="currentcolor" stroke-width="3.5" stroke-linecap="round"/><path d="M24 37s-10-6-10-13a5.6 5.6 0 0 1 10-3.4A5.6 5.6 0 0 1 34 24c0 7-10 13-10 13z"/></svg>
  <h1>wishgate</h1>
  <p class="lead">Wishlists, save for later and back-in-stock alerts for online stores. Run it yourself, over GraphQL and REST.</p>
  ${hasDemo ? demoButtons(shown !== null) : ''}
</header>
<main>
  ${PICTURE}
  <h2 class="visually-hidden">Where to go</h2>
  <ul class="pages">${links.map(link).join('\n')}</ul>
  <section>
    <h2>Quick start</h2>
    <dl class="facts"><div><dt>This server</dt><dd>${escapeHtml(url)}</dd></div>${
      shown === null ? '' : `<div><dt>pid of the demo store</dt><dd>${escapeHtml(shown.demo.pid)}</dd></div>`
    }</dl>
    <ol class="steps">${snippetsFor(url, shown).map(step).join('\n')}</ol>
  </section>
</main>
<footer><a href="/healthz">Health</a> <a href="/readyz">Readiness</a> <a href="/docs/openapi.json">openapi.json</a></footer>
</div>`;
}

/** The page at the root: links to the other pages, and the first calls with the service's own address. */
export async function landingPage(
  req: Request,
  services: Services,
  demo: DemoStore | null,
): Promise<HtmlPage> {
  const shown = await shownOfDemo(req, services, demo);
  return {
    bundle: 'landing',
    title: 'wishgate',
    description: 'Wishlists, save for later and back-in-stock alerts for online stores.',
    body: body(shownAddress(req, services.config), shown, demo !== null),
    isSecret: shown !== null,
  };
}
