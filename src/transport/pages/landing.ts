import type { Page } from './page.ts';

type Door = { href: string; name: string; text: string; mark: string };

const DOORS: Door[] = [
  {
    href: '/demo',
    name: 'Demo storefront',
    text: 'A small shop with hearts, lists, save for later and notify me. Click through everything in a minute.',
    mark: 'shop',
  },
  {
    href: '/dashboard',
    name: 'Merchant dashboard',
    text: 'Charts, waiting demand, alerts, templates, settings and shoppers of your store.',
    mark: 'chart',
  },
  {
    href: '/docs',
    name: 'API reference',
    text: 'Every REST call with its fields, answers and failures, ready to try.',
    mark: 'book',
  },
  {
    href: '/graphiql',
    name: 'GraphiQL',
    text: 'The same records over GraphQL, with the schema’s own manual beside your query.',
    mark: 'braces',
  },
  {
    href: '/client/wishgate.js',
    name: 'Client script',
    text: 'One script tag for your storefront: no dependencies, typed, small.',
    mark: 'tag',
  },
];

const MARKS: Record<string, string> = {
  shop: '<path d="M4 10h16l-1 10H5L4 10z"/><path d="M8 10V8a4 4 0 0 1 8 0v2"/>',
  chart: '<path d="M4 20V4"/><path d="M4 20h16"/><path d="M8 16v-4M12.5 16V8M17 16v-6"/>',
  book: '<path d="M12 6.5C10 5 7 4.5 4 5v14c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V5c-3-.5-6 0-8 1.5z"/><path d="M12 6.5v14"/>',
  braces: '<path d="M8 4c-3 0-1 7-4 8 3 1 1 8 4 8M16 4c3 0 1 7 4 8-3 1-1 8-4 8"/>',
  tag: '<path d="M9 7l-5 5 5 5M15 7l5 5-5 5"/>',
};

function door({ href, name, text, mark }: Door): string {
  return `<li><a class="door" href="${href}">
  <svg viewBox="0 0 24 24" aria-hidden="true">${MARKS[mark]}</svg>
  <span class="name">${name}</span>
  <span class="text">${text}</span>
  <span class="path">${href}</span>
</a></li>`;
}

function body(doors: Door[]): string {
  return `<div class="wrap">
<header>
  <svg class="logo" viewBox="0 0 48 48" aria-hidden="true"><path d="M6 44V20a18 18 0 0 1 36 0v24" fill="none"/><path class="heart" d="M24 37s-10-6-10-13a5.6 5.6 0 0 1 10-3.4A5.6 5.6 0 0 1 34 24c0 7-10 13-10 13z"/></svg>
  <h1>wishgate</h1>
  <p class="lead">Wishlists, save for later and back-in-stock alerts for online stores. Run it yourself, over GraphQL and REST.</p>
</header>
<main>
  <h2 class="visually-hidden">Where to go</h2>
  <ul class="doors">${doors.map(door).join('\n')}</ul>
  <section>
    <h2>In your storefront</h2>
<pre tabindex="0"><code>&lt;script src="https://wishes.example/client/wishgate.js"&gt;&lt;/script&gt;
&lt;script&gt;
  const headers = { 'content-type': 'application/json' };
  const identify = async () =&gt; (await fetch('/api/identify', { method: 'POST', headers })).json();
  const shop = wishgate.init({ baseUrl: 'https://wishes.example', pid: 'YOUR_PID', identify });
  shop.fetchLists({ callbackFn: (lists) =&gt; console.log(lists) });
&lt;/script&gt;</code></pre>
  </section>
</main>
<footer><a href="/healthz">Health</a> <a href="/readyz">Readiness</a> <a href="/docs/openapi.json">openapi.json</a></footer>
</div>`;
}

/** The page at the root: it names the doors of the service. The demo is a door only where the demo store exists. */
export function landingPage(hasDemo: boolean): Page {
  return {
    bundle: 'landing',
    title: 'wishgate',
    description: 'Wishlists, save for later and back-in-stock alerts for online stores.',
    body: body(DOORS.filter(({ href }) => hasDemo || href !== '/demo')),
  };
}
