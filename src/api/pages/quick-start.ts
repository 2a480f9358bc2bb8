import { escapeHtml } from '../../platform/text.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';

/** Title, text, path, form and the fields of the response that later steps use; `{lid}` is such a field. */
const STEPS = `
Identify a shopper | Your back end sends the store’s API key and gets a <code>regid</code> and a <code>sessionid</code> for the shopper. | /storeadmin/v3/user/generate-regid | useremail={email}&useragenttype=web | regid sessionid
Create a list | Your storefront creates a list for this shopper and gets its <code>lid</code>. | /api/v3/lists/create | regid={regid}&sessionid={sessionid}&lname=Birthday | lid
Save a product | The linen throw is now on the list. Saving it again changes it instead of adding it twice. | /api/v3/lists/update-ctx | regid={regid}&sessionid={sessionid}&lid={lid}&a=[{"epi":1001,"empi":101,"du":"SHOP/p/throw"}] |
Sell out of a product | Your shop reports that the last kettle was sold. | /storeadmin/v3/products/set-stock | stocks=[{"epi":1002,"stk":0}] |
Subscribe to its alert | The shopper wants an email when the kettle is back in stock. | /storeadmin/bispa/subscriptions/create | medium=email&mediumvalue={email}&products=[{"epi":1002,"empi":102,"du":"SHOP/p/kettle"}]&topics=["backinstock"] |
Restock it | Twelve new kettles arrive. This triggers the alert. | /storeadmin/v3/products/set-stock | stocks=[{"epi":1002,"stk":12}] |
`;

const isStoreCall = (path: string): boolean => path.startsWith('/storeadmin/');

/** Code as HTML, in which the page fills in the values that its steps return. */
export function toHtml(code: string): string {
  const html = escapeHtml(code).replace(
    /\{(regid|sessionid|lid|email)\}/g,
    (_whole, name: string) =>
      `<var data-value="${name}">${name === 'email' ? 'ada@example.com' : name.toUpperCase()}</var>`,
  );
  return `<pre tabindex="0"><code>${html}</code></pre>`;
}

function stepHtml(title: string, text: string, code: string, action: string | null): string {
  const button =
    action === null ? '' : `<button type="button" class="button run" disabled>${action}</button>`;
  return `<li><h3>${title}</h3><p>${text}</p>${code}${button}<div class="result" role="status"></div></li>`;
}

/** The first calls in the order in which a store makes them. With the demo store, `data` lets the page run them. */
export function quickStart(url: string, demo: DemoStore | null): { html: string; data: object } {
  const { pid, apiKey } = demo ?? { pid: 'YOUR_PID', apiKey: 'YOUR_API_KEY' };
  const shop = demo ? `${url}/demo#` : 'https://shop.example';
  const rows = STEPS.trim().split('\n');
  const steps = rows.map(
    (row) => row.replace('SHOP', shop).split(/ \| ?/) as [string, string, string, string, string],
  );
  const items = steps.map(([title, text, path, form]) => {
    const query = isStoreCall(path) ? '' : `?pid=${encodeURIComponent(pid)}`;
    const lines = [
      `curl -sS '${url}${path}${query}'`,
      ...(isStoreCall(path) ? [`-u '${pid}:${apiKey}'`] : []),
      ...form.split('&').map((field) => `--data-urlencode '${field}'`),
    ];
    return stepHtml(title, text, toHtml(lines.join(' \\\n  ')), demo && 'Run');
  });
  const place = demo
    ? 'The demo store never sends anything: its emails become files on this machine.'
    : 'Without a mail server, the service writes each email to a file in <code>DATA_DIR/outbox</code>.';
  items.push(stepHtml('Read the email', place, '', demo && 'Open the email'));
  const data = { pid, apiKey, steps: steps.map(([, , path, form, gives]) => ({ path, form, gives })) };
  return { html: `<ol class="steps">${items.join('\n')}</ol>`, data };
}
