import type { Services } from '../../context.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { shownAddress } from '../loopback.ts';
import { shownOfDemo } from './graphiql.ts';
import { PICTURE } from './landing-picture.ts';
import { snippetsFor } from './landing-snippets.ts';
import type { Snippet } from './landing-snippets.ts';
import { createPage } from './page.ts';

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

type Landing = { url: string; pid: string | null; hasDemo: boolean; steps: Snippet[] };

function body({ url, pid, hasDemo, steps }: Landing): string {
  const links = LINKS.filter(({ href }) => hasDemo || href !== '/demo');
  return `<div class="wrap">
<header>
  <svg width="72" viewBox="0 0 48 48" fill="currentcolor" aria-hidden="true"><path d="M6 44V20a18 18 0 0 1 36 0v24" fill="none" stroke="currentcolor" stroke-width="3.5" stroke-linecap="round"/><path d="M24 37s-10-6-10-13a5.6 5.6 0 0 1 10-3.4A5.6 5.6 0 0 1 34 24c0 7-10 13-10 13z"/></svg>
  <h1>wishgate</h1>
  <p class="lead">Wishlists, save for later and back-in-stock alerts for online stores. Run it yourself, over GraphQL and REST.</p>
  ${hasDemo ? demoButtons(pid !== null) : ''}
</header>
<main>
  ${PICTURE}
  <h2 class="visually-hidden">Where to go</h2>
  <ul class="pages">${links.map(link).join('\n')}</ul>
  <section>
    <h2>Quick start</h2>
    <dl class="facts"><div><dt>This server</dt><dd>${escapeHtml(url)}</dd></div>${
      pid === null ? '' : `<div><dt>pid of the demo store</dt><dd>${escapeHtml(pid)}</dd></div>`
    }</dl>
    <ol class="steps">${steps.map(step).join('\n')}</ol>
  </section>
</main>
<footer><a href="/healthz">Health</a> <a href="/readyz">Readiness</a> <a href="/docs/openapi.json">openapi.json</a></footer>
</div>`;
}

/** Serves the page at the root: links to the other pages, and the first calls with the service's own address. */
export function createLandingPage(services: Services, demo: DemoStore | null) {
  return createPage('/', async (req) => {
    const shown = await shownOfDemo(req, services, demo);
    const url = shownAddress(req, services.config);
    const landing = { url, pid: shown?.demo.pid ?? null, hasDemo: demo !== null };
    return {
      bundle: 'landing',
      title: 'wishgate',
      description: 'Wishlists, save for later and back-in-stock alerts for online stores.',
      body: body({ ...landing, steps: snippetsFor(url, shown) }),
      isSecret: shown !== null,
    };
  });
}
