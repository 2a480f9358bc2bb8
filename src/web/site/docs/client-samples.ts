import { literal, quoted } from './literal.ts';
import type { Call } from './model.ts';
import type { Values } from './request.ts';

/** Reads the fields of a call: as text, as JSON, and several of them as an object. */
type Read = {
  text: (name: string) => string;
  json: (name: string) => string;
  object: (...names: string[]) => string;
};

const page = (read: Read, ...names: string[]): string => read.object(...names, 'limit', 'offset');

/** What the browser library calls the calls that it has, by their path below `/api/v3/`. */
const CLIENT: Record<string, (read: Read) => string> = {
  'lists/create': (read) =>
    `createList(${read.object('lname', 'lty', 'lnote', 'lprops', 'cprops', 'ldesc', 'fromlid')})`,
  'lists/update': (read) =>
    `updateList(${read.object('lid', 'lname', 'lnote', 'lprops', 'cprops', 'ldesc')})`,
  'lists/delete-list': (read) => `deleteList(${read.text('lid')})`,
  'lists/restore': (read) => `restoreList(${read.text('lid')})`,
  'lists/restore-items': (read) => `restoreItems(${read.text('lid')}, ${read.json('epis')})`,
  'lists/fetch-deleted': (read) => `deletedLists(${page(read)})`,
  'lists/fetch-deleted-items': (read) => `deletedItems(${page(read, 'lid')})`,
  'lists/fetch-lists': (read) => `fetchLists(${read.object('lty')})`,
  'lists/fetch-list-with-contents': (read) => `fetchListDetails(${page(read, 'lid')})`,
  'lists/update-ctx': (read) => `addProductsToList(${read.text('lid')}, ${read.json('a')})`,
  'lists/markPublic': (read) => `markListPublic(${read.text('lid')})`,
  'lists/markPrivate': (read) => `markListPrivate(${read.text('lid')})`,
  'lists/emailList': (read) => `sendListViaEmail(${read.object('lid', 'toemail', 'fromname', 'note')})`,
  'lists/reportShare': (read) => `reportShare(${read.object('lid', 'medium', 'fromname')})`,
  'lists/is-in-lists': (read) => `isInLists(${read.json('epis')})`,
  'lists/sfl/create': () => 'SaveForLater.init()',
  'lists/sfl/add': (read) => `SaveForLater.add(${read.text('lid')}, ${read.json('items')})`,
  'lists/sfl/remove': (read) => `SaveForLater.remove(${read.text('lid')}, ${read.json('items')})`,
  'lists/sfl/update': (read) => `SaveForLater.update(${read.text('lid')}, ${read.json('items')})`,
  'lists/sfl/moved-to-cart': (read) => `SaveForLater.moveToCart(${read.text('lid')}, ${read.json('items')})`,
  'shopper/set-measured': (read) => `setMeasured(${read.json('measured')})`,
  'product/wishlist/social-count': (read) => `getSocialCount(${read.object('empi')})`,
};

/** Changes in place and removals have functions of their own. */
const CONTENTS: [field: string, name: string][] = [
  ['u', 'updateListItem'],
  ['d', 'removeProductsFromList'],
];

function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The call by the browser library; null where the library does not have it. */
export function clientCall({ path, fields }: Call, values: Values): string | null {
  const make = CLIENT[path.replace('/api/v3/', '')];
  if (make === undefined) {
    if (path !== '/api/v3/lists/changes') return null;
    return '// Once for all changes, instead of a call that waits and is repeated:\nconst stop = client.watch((lists, { rev, lids }) => console.log(rev, lids, lists));';
  }
  const isJson = (name: string): boolean => {
    const kind = fields.find((field) => field.name === name)?.kind;
    return kind === 'json' || kind === 'integer' || kind === 'flag';
  };
  const valueOf = (name: string): unknown => {
    const value = values[name] ?? '';
    return isJson(name) ? parsed(value) : value;
  };
  const read: Read = {
    text: (name) => quoted(values[name] ?? ''),
    json: (name) => literal(valueOf(name)),
    object: (...names) => {
      const filled = names.filter((name) => values[name]);
      return filled.length > 0
        ? literal(Object.fromEntries(filled.map((name) => [name, valueOf(name)])))
        : '';
    },
  };
  const lines = [
    ...(path.endsWith('update-ctx') && !values['a'] ? [] : [make(read)]),
    ...CONTENTS.filter(([field]) => path.endsWith('update-ctx') && values[field]).map(
      ([field, name]) =>
        `${name}(${read.text('lid')}, ${field === 'u' ? literal((valueOf('u') as unknown[])[0]) : read.json(field)})`,
    ),
  ];
  return lines.map((line) => `console.log(await client.${line});`).join('\n');
}
