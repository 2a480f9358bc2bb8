import type { Guide } from './guides.ts';

/** From "notify me" to the message. */
export const ALERTS: Guide = {
  id: 'alerts',
  title: 'Back-in-stock alerts',
  text: `
Somebody waits for a variant, its stock comes back, one message leaves, and the subscription is done. Three calls show it whole: a product that is sold out,
somebody who waits, and the stock.

~~~bash
curl -u "$PID:$KEY" "$BASE/storeadmin/v3/products/upsert" --data-urlencode \\
  'products=[{"epi":9002,"empi":902,"dt":"Sample kettle","du":"{{address}}/demo","stk":0}]'

curl -u "$PID:$KEY" "$BASE/storeadmin/bispa/subscriptions/create" \\
  -d medium=email -d mediumvalue=ada@example.com -d 'topics=["backinstock"]' \\
  --data-urlencode 'products=[{"epi":9002,"empi":902,"du":"{{address}}/demo"}]'

curl -u "$PID:$KEY" "$BASE/storeadmin/v3/products/set-stock" -d 'stocks=[{"epi":9002,"stk":5}]'
~~~

The message of the demo store is a file in \`DATA_DIR/outbox\`, and the demo shop shows it. Without a mail server those of other stores are files there, too.

- A storefront lets people subscribe themselves with \`client.subscribeForProductAlert\`; a guest's contact is alerted once the link in the message that is sent there
  was opened.
- \`topics\` are \`backinstock\`, \`comingsoon\`, \`pricedrop\`, \`lowstock\`, \`wishlistrestock\` and your own. The dashboard has their texts and rules.
- Only a change counts: the same stock told again alerts nobody.
- The shopper's own: [subscriptions/fetch-subs](#/subscriptionsFetchSubs), [subscriptions/unsubscribe](#/subscriptionsUnsubscribe).
`,
};

/** Events for the store's own systems. */
export const HOOKS: Guide = {
  id: 'webhooks',
  title: 'Webhooks',
  text: `
Up to 20 addresses of yours are told what happens: \`list.item.added\`, \`list.item.removed\`, \`subscription.created\`, \`subscription.removed\`, \`contact.optedin\`,
\`contact.optedout\`, \`alert.sent\`, \`alert.failed\`, \`product.restocked\`. They are set up in the dashboard or over GraphQL. The demo store has none, so this needs a store of your own:

~~~sh
curl -u "$PID:$KEY" "$BASE/graphql" -H 'content-type: application/json' -d '{
  "query": "mutation { saveWebhook(url: \\"https://erp.example/hooks\\", events: [\\"alert.sent\\"]) { secret webhook { id } } }"
}'
~~~

The \`secret\` is shown this once. A delivery is a POST of \`{"type", "timestamp", "data"}\`, signed as [Standard Webhooks](https://www.standardwebhooks.com) says; in Node:

~~~node
import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`headers\` in lower case, \`body\` as it arrived, \`secret\` as it was shown. */
export function isGenuine(headers, body, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = Buffer.from(
    'v1,' + createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest('base64'),
  );
  const given = Buffer.from(signature);
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}
~~~

- Any 2xx within 15 seconds is success. Everything else is tried again, 15 times over about seven hours; 410 ends it.
- \`webhook-id\` stays the same when a delivery is repeated: remember it, and drop what you have seen.
- The order of events is not guaranteed.
`,
};
