import type { Shown } from './graphiql-tabs.ts';

/** Code on the landing page: it works as it is, or with placeholders where the demo store may not be shown. */
export type Snippet = { title: string; text: string; code: string };

const IDENTIFY_BY_BACKEND = `  const headers = { 'content-type': 'application/json' };
  const identify = async () => (await fetch('/api/identify', { method: 'POST', headers })).json();`;

function identifyBy({ visitor }: Shown): string {
  return `  // A shopper of the demo store; in your shop, your back end says who the visitor is.
  const identify = async () => ({
    regid: '${visitor.regid}',
    sessionid: '${visitor.sessionid}',
  });`;
}

export function snippetsFor(url: string, shown: Shown | null): Snippet[] {
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
