import type { Guide } from './guides.ts';

/** What failures look like. */
export const FAILING: Guide = {
  id: 'errors',
  title: 'Errors',
  text: `
Every failure has one body and a status that says whose turn it is. Programs go by \`type\`, which is one of a closed set; \`msg\` (and \`message\`, the same) is for people and
names the field.

~~~sh
curl -i "$BASE/api/v3/lists/create?pid=$STORE" -d lname=ab \\
  --data-urlencode "regid=$REGID" --data-urlencode "sessionid=$SESSIONID"
~~~

~~~json
{
  "error": true,
  "type": "invalid-lname",
  "msg": "lname must have 3 to 50 characters",
  "message": "lname must have 3 to 50 characters"
}
~~~

- A call that failed has changed nothing.
- On \`sw-badregid\` and \`bad-sessionid\` identify the shopper again and repeat the call; the browser library does that by itself.
- On 429 and 503 wait for as many seconds as \`Retry-After\` says.
- Quote \`X-Request-Id\` when you report a fault: the log knows it.
- GraphQL says the same in \`extensions.type\` and \`extensions.status\` of each error.

Scripts in a browser are answered 401 without \`WWW-Authenticate\`, so that no password dialog opens over your page; everybody else gets it.
`,
};

/** How much is too much. */
export const LIMITS: Guide = {
  id: 'limits',
  title: 'Limits',
  text: `
Requests a minute are counted for each API key (12,000), shopper (1,200) and network address (3,000), in each process; a store can have its own figures. Every answer says where the
caller stands:

~~~bash
curl -si -u "$PID:$KEY" "$BASE/storeadmin/me" | grep -i '^ratelimit'
~~~

Beyond them a call is answered 429 with \`Retry-After\`. What else is limited:

- **Lists:** 1,000 of a shopper, 10,000 items in one, and 32 MB of texts in all, unless the operator says otherwise. \`limit-reached\` says which it was.
- **Bodies:** 2 MB. A field that is sent twice is refused; fields that are not known are ignored.
- **Pages:** a \`limit\`, \`itemslimit\` or \`first\` beyond the largest is cut to it, and 0 gives none.
- **Waiting:** [lists/changes](#/listsChanges) answers after 25 seconds at the latest, changed or not.
- **Large answers:** [user/export](#/userExport) and [mailinglist.csv](#/mailinglistCsv) are streamed, whatever their size.
`,
};

/** Repeating without doing it twice. */
export const RETRYING: Guide = {
  id: 'idempotency',
  title: 'Safe retries',
  text: `
A network that breaks leaves you not knowing whether a call was done. Send a key of your own with every write, and repeat the call with the same key: within 24 hours the
first answer comes again, and nothing is done twice.

~~~bash
ONCE="create-$(date +%s)-$RANDOM"
for try in 1 2; do
  curl "$BASE/api/v3/lists/create?pid=$STORE" -H "Idempotency-Key: $ONCE" \\
    --data-urlencode "regid=$REGID" --data-urlencode "sessionid=$SESSIONID" -d lname="Once $ONCE" |
    sed 's/.*"lid":"\\([^"]*\\)".*/the list is \\1\\n/'
done
~~~

Both lines name the same list. Without the key the second call would be refused, because the name is taken.

- A key has at most 255 printable ASCII characters. Make one for each thing that is to happen once, such as an order's id.
- The same key with another body is refused with \`idempotency-key-reused\`.
- A key belongs to its caller: an operator, the store and each shopper can use the same text without meeting.
- API keys and webhook secrets are shown once. A retry of \`createStore\`, \`createApiKey\` or a \`saveWebhook\` that adds one is answered \`forbidden\` with the id of what the first call
  made, and makes nothing.
- Reads need none, and neither do the calls that are harmless to repeat anyway: adding an item, the merge at login, setting stock.
- Two people who edit one list: send \`expectedVersion\` with the \`version\` that was read, and a change in between is answered \`version-conflict\`.
`,
};
