import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';

/** `{regid}` and the like in a form or header are values that an earlier step returns. */
type Request = { path: string; form: Record<string, string>; headers?: Record<string, string> };

type Step = { title: string; text: string; requests: Request[]; gives: string[] };

/** What the page needs to run the steps. */
type QuickStart = {
  html: string;
  data?: { pid: string; apiKey: string; steps: Pick<Step, 'requests' | 'gives'>[] };
};

const SHOPPER = { regid: '{regid}', sessionid: '{sessionid}' };

const isStoreCall = ({ path }: Request): boolean => path.startsWith('/storeadmin/');

function stepsFor(shop: string): Step[] {
  const item = (epi: number, empi: number, slug: string): string =>
    JSON.stringify([{ epi, empi, du: `${shop}${slug}` }]);
  const setStock = (stk: number): Request => ({
    path: '/storeadmin/v3/products/set-stock',
    form: { stocks: JSON.stringify([{ epi: 1002, stk }]) },
  });
  return [
    {
      title: 'Identify a shopper',
      text: 'Your back end sends the store’s API key and gets a <code>regid</code> and a <code>sessionid</code> for the shopper.',
      requests: [
        {
          path: '/storeadmin/v3/user/generate-regid',
          form: { useremail: '{email}', useragenttype: 'web' },
        },
      ],
      gives: ['regid', 'sessionid'],
    },
    {
      title: 'Create a list',
      text: 'Your storefront creates a list for this shopper and gets its <code>lid</code>.',
      requests: [{ path: '/api/v3/lists/create', form: { ...SHOPPER, lname: 'Birthday' } }],
      gives: ['lid'],
    },
    {
      title: 'Save a product to the list',
      text: 'The linen throw is now on the list. Saving it again changes it instead of adding it twice.',
      requests: [
        {
          path: '/api/v3/lists/update-ctx',
          form: { ...SHOPPER, lid: '{lid}', a: item(1001, 101, 'throw') },
        },
      ],
      gives: [],
    },
    {
      title: 'Subscribe to an alert',
      text: 'The shopper wants to know when the kettle is back in stock.',
      requests: [
        {
          path: '/storeadmin/bispa/subscriptions/create',
          form: {
            medium: 'email',
            mediumvalue: '{email}',
            products: item(1002, 102, 'kettle'),
            topics: '["backinstock"]',
          },
          headers: { 'x-regid': '{regid}' },
        },
      ],
      gives: [],
    },
    {
      title: 'Restock the product',
      text: 'The kettle sells out, and then 12 new ones arrive. That triggers the alert.',
      requests: [setStock(0), setStock(12)],
      gives: [],
    },
  ];
}

function toCurl(request: Request, url: string, pid: string, apiKey: string): string {
  const query = isStoreCall(request) ? '' : `?pid=${encodeURIComponent(pid)}`;
  return [
    `curl -sS '${url}${request.path}${query}'`,
    ...(isStoreCall(request) ? [`-u '${pid}:${apiKey}'`] : []),
    ...Object.entries(request.headers ?? {}).map((header) => `-H '${header.join(': ')}'`),
    ...Object.entries(request.form).map(([name, value]) => `--data-urlencode '${name}=${value}'`),
  ].join(' \\\n  ');
}

/** Code as HTML, in which the page fills in the values that its steps return. */
export function toHtml(code: string): string {
  const html = escapeHtml(code).replace(
    /\{(regid|sessionid|lid|email)\}/g,
    (_whole, name: string) =>
      `<var data-value="${name}">${name === 'email' ? 'ada@example.com' : name.toUpperCase()}</var>`,
  );
  return `<pre tabindex="0"><code>${html}</code></pre>`;
}

const stepHtml = (title: string, text: string, code: string, action: string): string =>
  `<li><h3>${title}</h3><p>${text}</p>${code}${
    action ? `<button type="button" class="button run" disabled>${action}</button>` : ''
  }<div class="result" role="status"></div></li>`;

/** The first calls in the order in which a store makes them. With the demo store, the page can run them. */
export function quickStart(url: string, demo: DemoStore | null): QuickStart {
  const { pid, apiKey } = demo ?? { pid: 'YOUR_PID', apiKey: 'YOUR_API_KEY' };
  const steps = stepsFor(demo ? `${url}/demo#/p/` : 'https://shop.example/p/');
  const codeOf = ({ requests }: Step): string =>
    toHtml(requests.map((request) => toCurl(request, url, pid, apiKey)).join('\n'));
  const items = steps.map((step) => stepHtml(step.title, step.text, codeOf(step), demo ? 'Run' : ''));
  const email = demo
    ? stepHtml(
        'Read the email',
        'The demo store never sends anything: its emails become files on this machine.',
        '',
        'Open the email',
      )
    : stepHtml(
        'Read the email',
        'Without a mail server, the service writes each email to a file in <code>DATA_DIR/outbox</code>.',
        '',
        '',
      );
  return {
    html: `<ol class="steps">${[...items, email].join('\n')}</ol>`,
    ...(demo && { data: { pid, apiKey, steps: steps.map(({ requests, gives }) => ({ requests, gives })) } }),
  };
}
