import type { Request } from 'express';
import type { Services } from '../../context.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { shownAddress } from '../loopback.ts';
import { PICTURE } from './landing-picture.ts';
import type { HtmlPage } from './page.ts';
import { quickStart, toHtml } from './quick-start.ts';

/** The other pages: path, name, text and the shapes of the icon. */
const LINKS = `
/demo | Demo shop | A small shop with wishlists, save for later and back-in-stock alerts. Try everything in a minute. | <path d="M4 10h16l-1 10H5L4 10z"/><path d="M8 10V8a4 4 0 0 1 8 0v2"/>
/dashboard | Dashboard | Demand, alerts, email templates, shoppers and settings of your store. | <path d="M4 20V4"/><path d="M4 20h16"/><path d="M8 16v-4M12.5 16V8M17 16v-6"/>
/docs | API reference | Every REST call and GraphQL operation with its fields, errors and samples. | <path d="M12 6.5C10 5 7 4.5 4 5v14c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V5c-3-.5-6 0-8 1.5z"/><path d="M12 6.5v14"/>
/graphiql | GraphiQL | Write and run GraphQL queries, with the schema’s documentation next to them. | <path d="M8 4c-3 0-1 7-4 8 3 1 1 8 4 8M16 4c3 0 1 7 4 8-3 1-1 8-4 8"/>
/client | Browser library | One script tag for your storefront: small, typed, without dependencies. | <path d="M9 7l-5 5 5 5M15 7l5 5-5 5"/>
`;

function link(row: string): string {
  const [href, name, text, mark] = row.split(' | ') as [string, string, string, string];
  return `<li><a class="card" href="${href}">
  <svg width="32" viewBox="0 0 24 24" fill="none" stroke="currentcolor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${mark}</svg>
  <span class="name">${name}</span>
  <span class="text">${text}</span>
  <span class="path">${href}</span>
</a></li>`;
}

const IDENTIFY_BY_BACKEND = `  // Your back end returns the response of step 1.
  const headers = { 'content-type': 'application/json' };
  const identify = async () => (await fetch('/api/identify', { method: 'POST', headers })).json();`;

const IDENTIFY_DEMO = `  // The shopper from step 1. In your shop, your back end returns these two.
  const identify = async () => ({ regid: '{regid}', sessionid: '{sessionid}' });`;

function storefrontCode(url: string, demo: DemoStore | null): string {
  return `<script src="${url}/client/wishgate.js"></script>
<script>
${demo ? IDENTIFY_DEMO : IDENTIFY_BY_BACKEND}
  const client = wishgate.init({ baseUrl: '${url}', pid: '${demo?.pid ?? 'YOUR_PID'}', identify });
  const show = ({ lname, cnt }) => \`\${lname}: \${cnt} \`;
  client.fetchLists({ callbackFn: (lists) => document.body.append(...lists.map(show)) });
</script>`;
}

/** Opens without a key, so it is only for a browser on the same machine. */
const DASHBOARD_BUTTON =
  '<form method="post" action="/dashboard/demo"><button class="button quiet">Open the demo dashboard</button></form>';

/** Why a store chooses it: reason and text. */
const REASONS = `
Open source | MIT licence. You host it on your own server.
Your shoppers’ data stays with you | Export and erase it in the dashboard or over the API.
Works with your shop | Shopify over its webhooks, any other shop over GraphQL or REST.
Five languages | Emails and pages in English, German, French, Spanish and Japanese.
`;

/** `shown` is the demo store for a browser on the same machine. */
function body(url: string, steps: string, shown: DemoStore | null, hasDemo: boolean): string {
  const rows = LINKS.trim().split('\n');
  const links = rows.filter((row) => hasDemo || !row.startsWith('/demo '));
  return `<main class="wrap">
  <section class="hero">
    <h1>Wishlists and back&#8209;in&#8209;stock alerts for any online store</h1>
    <p class="lead">Shoppers save what they like and get a message when it’s back or cheaper. You see what they want.</p>
    ${hasDemo ? `<div class="buttons"><a class="button" href="/demo">Open the demo shop</a>${shown ? DASHBOARD_BUTTON : ''}</div>` : ''}
    ${PICTURE}
    <div class="buttons text">${REASONS.trim().replaceAll(/^(.+) \| (.+)$/gm, '<div class="reason"><strong>$1</strong><br>$2</div>')}</div>
  </section>
  <section>
    <h2 class="visually-hidden">Pages</h2>
    <ul class="pages">${links.map(link).join('\n')}</ul>
  </section>
  <section>
    <h2>Quick start</h2>
    <p class="text">From the first call to the first email. ${shown ? 'Press Run at each step: the page fills in the values for the next ones.' : 'Replace the words in capitals by values from earlier responses.'}</p>
    ${steps}
  </section>
  <section>
    <h2>In your storefront</h2>
    <p class="text">${
      shown
        ? 'After step 1, save this as an HTML file and open it: it shows the shopper’s lists.'
        : 'One script tag. <code>/api/identify</code> is your back end, which returns the response of step 1.'
    }</p>
    ${toHtml(storefrontCode(url, shown))}
  </section>
</main>
<footer><a href="/healthz">Health</a> <a href="/readyz">Readiness</a> <a href="/docs/openapi.json">openapi.json</a></footer>`;
}

/** The page at the root: links to the other pages, and the first calls with the service's own URL. Opening it writes nothing. */
export function landingPage(req: Request, { config }: Services, shown: DemoStore | null): HtmlPage {
  const url = shownAddress(req, config);
  const { html, data } = quickStart(url, shown);
  const pictures = pictureSchemes(config.publicUrl).join(' ');
  return {
    bundle: 'landing',
    title: 'wishgate',
    description: 'Wishlists, save for later and back-in-stock alerts for online stores.',
    body: body(url, html, shown, config.demo),
    ...(shown && {
      data,
      isSecret: true,
      // The quick start shows an email in a frame without scripts that inherits this policy; emails have inline styles.
      csp: { 'style-src': "'self' 'unsafe-inline'", 'img-src': `'self' data: ${pictures}` },
    }),
  };
}
