import type { Guide } from './guides.ts';

/** Who is calling. */
export const CALLING: Guide = {
  id: 'identify',
  title: 'Identify a shopper',
  text: `
A shopper needs no account here. Your back end says who somebody is, by a **UUID** for a guest or by an **e-mail address** for an account,
and gets a \`regid\`. The same identity has the same \`regid\` for ever; each kind of client (\`useragenttype\`) has a \`sessionid\` of its own.

~~~bash
curl -u "$PID:$KEY" "$BASE/storeadmin/v3/user/generate-regid" \\
  -d uuid=9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d -d useragenttype=web

curl -u "$PID:$KEY" "$BASE/storeadmin/v3/user/generate-regid" \\
  -d useremail=ada@example.com -d useragenttype=web
~~~

The API key opens every store call, so it stays on your back end: the browser is given \`regid\` and \`sessionid\` only. Keep the guest's UUID in a
cookie of your own (\`HttpOnly\`), never take it from a request.

## In the browser

The library asks your back end once a page, and again when a session is no longer accepted. Here the answer stands in the code, so that it can be run as it is:

~~~js
// <script src="{{address}}/client/wishgate.js"></script>
const client = wishgate.init({
  baseUrl: '{{address}}',
  pid: '{{pid}}',
  // Usually: async () => (await fetch('/api/identify', { method: 'POST' })).json()
  identify: () => ({ regid: '{{regid}}', sessionid: '{{sessionid}}' }),
});
console.log(await client.isLoggedIn());
~~~

- All fields: [user/generate-regid](#/userGenerateRegid)
- What the store knows of the shopper: [user/update](#/userUpdate)
`,
};

/** Lists and hearts. */
export const SAVING: Guide = {
  id: 'save',
  title: 'Save a product',
  text: `
A list holds variants (\`epi\`) of products (\`empi\`) with their page (\`du\`). Adding a variant again changes what was sent and never doubles it, so a retry is
harmless.

~~~bash
SHOPPER=(--data-urlencode "regid=$REGID" --data-urlencode "sessionid=$SESSIONID")
LID=$(curl "$BASE/api/v3/lists/create?pid=$STORE" "\${SHOPPER[@]}" -d lname="Birthday $(date +%s)" |
  sed 's/.*"lid":"\\([^"]*\\)".*/\\1/')

curl "$BASE/api/v3/lists/update-ctx?pid=$STORE" "\${SHOPPER[@]}" -d lid="$LID" \\
  --data-urlencode 'a=[{"epi":1001,"empi":101,"du":"{{address}}/demo#/p/throw","qty":2,"note":"in sand"}]'
~~~

\`a\`, \`u\` and \`d\` (add, update, delete) go together in one call, all of it or nothing.

## Hearts

One call tells for a whole page which variants are in which lists:

~~~bash
curl "$BASE/api/v3/lists/is-in-lists?pid=$STORE" "\${SHOPPER[@]}" -d 'epis=[1001,1002]'
~~~

In a storefront:

~~~js
const client = wishgate.init({
  baseUrl: '{{address}}',
  pid: '{{pid}}',
  identify: () => ({ regid: '{{regid}}', sessionid: '{{sessionid}}' }),
});
const lists = await client.fetchLists();
const list = lists.find(({ lname }) => lname === 'Favourites') ?? (await client.createList({ lname: 'Favourites' }));
await client.addToList(list.lid, { epi: 1001, empi: 101, du: '{{address}}/demo#/p/throw' });
console.log(await client.isInLists([1001, 1002]));
~~~

Other tabs and devices hear of it by \`client.watch\`, or by [lists/changes](#/listsChanges). What was deleted can be brought back:
[lists/restore](#/listsRestore), [lists/restore-items](#/listsRestoreItems).
`,
};

/** The merge at login. */
export const LOGIN: Guide = {
  id: 'login',
  title: 'Merge at login',
  text: `
When a guest logs in, tell the service once. The guest's lists join the account's: lists of the same name become one, what is in both stays once. Doing it again is
harmless.

~~~bash
GUEST=$(curl -u "$PID:$KEY" "$BASE/storeadmin/v3/user/generate-regid" \\
  -d uuid=1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed -d useragenttype=web |
  sed 's/.*"regid":"\\([^"]*\\)".*/\\1/')

curl -u "$PID:$KEY" "$BASE/storeadmin/v3/user/guest-validate-sync" \\
  --data-urlencode "regid=$GUEST" -d useremail=ada@example.com -d useragenttype=web
~~~

- Go on with the \`regid\` and \`sessionid\` of the answer; in the browser call \`client.refreshIdentity()\`.
- \`merged\` says how many lists and items came along, and how many were there already.
- After login identify the shopper by \`useremail\`: the same \`uuid\` is a new, empty guest.
- A \`lid\` that a page remembers of the guest goes on to work for the account, also where the list joined another one; answers carry the real \`lid\`.
- A link to a list that the guest had shared opens the list that it joined, if that one is public: else share it again.

All fields: [user/guest-validate-sync](#/userGuestValidateSync).
`,
};
