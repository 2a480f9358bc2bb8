import type { Call } from './model.ts';
import { json, parsed } from './request.ts';
import type { Values } from './request.ts';

/** Functions of the browser library by path below `/api/v3/`, with their fields; `{…}` is an object of the filled-in fields. */
const FUNCTIONS: Record<string, string[]> = {
  'lists/create': ['createList({lname lty lnote lprops cprops ldesc fromlid})'],
  'lists/update': ['updateList({lid lname lnote lprops cprops ldesc})'],
  'lists/delete-list': ['deleteList(lid)'],
  'lists/restore': ['restoreList(lid)'],
  'lists/restore-items': ['restoreItems(lid, epis)'],
  'lists/fetch-deleted': ['deletedLists({limit offset})'],
  'lists/fetch-deleted-items': ['deletedItems({lid limit offset})'],
  'lists/fetch-lists': ['fetchLists({lty})'],
  'lists/fetch-list-with-contents': ['fetchListDetails({lid limit offset})'],
  'lists/update-ctx': [
    'addProductsToList(lid, a)',
    'updateListItem(lid, u)',
    'removeProductsFromList(lid, d)',
  ],
  'lists/markPublic': ['markListPublic(lid)'],
  'lists/markPrivate': ['markListPrivate(lid)'],
  'lists/emailList': ['sendListViaEmail({lid toemail fromname note})'],
  'lists/reportShare': ['reportShare({lid medium fromname})'],
  'lists/is-in-lists': ['isInLists(epis)'],
  'lists/sfl/create': ['SaveForLater.init()'],
  'lists/sfl/add': ['SaveForLater.add(lid, items)'],
  'lists/sfl/remove': ['SaveForLater.remove(lid, items)'],
  'lists/sfl/update': ['SaveForLater.update(lid, items)'],
  'lists/sfl/moved-to-cart': ['SaveForLater.moveToCart(lid, items)'],
  'shopper/set-measured': ['setMeasured(measured)'],
  'product/wishlist/social-count': ['getSocialCount({empi})'],
};

const WATCH = `// Once for all changes, instead of a call that waits and is repeated:
const stop = client.watch((lists, { rev, lids }) => console.log(rev, lids, lists));`;

/** Returns an empty string if the library lacks the call, or if a required field is empty. */
export function clientCalls({ path, fields }: Call, values: Values): string {
  const route = path.replace('/api/v3/', '');
  if (route === 'lists/changes') return WATCH;
  const filled = new Map<string, unknown>();
  for (const { name, kind } of fields)
    if (values[name]) filled.set(name, kind === 'text' ? values[name] : parsed(values[name]));
  // The library updates one item at a time.
  filled.set('u', [filled.get('u')].flat()[0]);
  const valueOf = (text: string): unknown => {
    if (!text.startsWith('{')) return filled.get(text);
    const names = text.slice(1, -1).split(' ');
    return Object.fromEntries(names.map((name) => [name, filled.get(name)]));
  };
  const lines = (FUNCTIONS[route] ?? []).map((line) => {
    const [name = '', ...parameters] = line.split(/[(,)] ?/).filter(Boolean);
    const given = parameters.map(valueOf);
    if (given.includes(undefined)) return '';
    return `console.log(await client.${name}(${given.map(json).join(', ')}));`;
  });
  return lines.filter(Boolean).join('\n');
}
