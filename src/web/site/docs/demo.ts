import type { Call } from './model.ts';
import { basicHeader } from './request.ts';
import type { Credentials, Values } from './request.ts';

/** The demo store, which this page knows on the machine that runs the service and nowhere else. */
export type DemoStore = { pid: string; apiKey: string };

/** What the examples of the demo store use: its shopper, and lists that this page has made. */
export type Demo = { credentials: Credentials; lid: string; tolid: string; archive: string; saved: string };

/** The account that this page is. */
export const DEMO_SHOPPER = 'reference@example.com';
const LISTS = ['API reference', 'API reference, second', 'API reference, put away'];

/** A product of the demo shop. */
export const PRODUCT = { epi: 1001, empi: 101 };
const EXAMPLE_PAGE = 'https://shop.example/p/linen-throw';

/** Makes a call of its own, and throws what it answers where that is a failure. */
export async function callApi<Answer>(
  { pid, apiKey, regid, sessionid }: Credentials,
  path: string,
  fields: Values = {},
  isForShopper = false,
): Promise<Answer> {
  const isStore = path.startsWith('/storeadmin/');
  const headers: Record<string, string> = isStore ? { authorization: basicHeader([pid, apiKey]) } : {};
  if (isForShopper) headers['x-regid'] = regid;
  const answer = await fetch(isStore ? path : `${path}?${new URLSearchParams({ pid })}`, {
    method: 'POST',
    headers,
    credentials: 'omit',
    body: new URLSearchParams(isStore ? fields : { regid, sessionid, ...fields }),
  });
  const body = (await answer.json()) as Answer & { msg?: string };
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${body.msg}`);
  return body;
}

type List = { lid: string; lname: string };

/** A list of this name: the one that is there, or a new one. Another tab may make it at the same time. */
async function ensureList(credentials: Credentials, lname: string): Promise<string> {
  const find = async (): Promise<string | undefined> =>
    (await callApi<{ data: List[] }>(credentials, '/api/v3/lists/fetch-user-lists')).data.find(
      (list) => list.lname === lname,
    )?.lid;
  const known = await find();
  if (known !== undefined) return known;
  try {
    return (await callApi<List>(credentials, '/api/v3/lists/create', { lname })).lid;
  } catch (error) {
    const made = await find();
    if (made === undefined) throw error;
    return made;
  }
}

/** Identifies the demo's shopper, and sees to it that the lists of the examples exist. Doing it again changes nothing. */
export async function setUpDemo(store: DemoStore, address: string): Promise<Demo> {
  const nobody = { ...store, regid: '', sessionid: '' };
  const { regid, sessionid } = await callApi<Credentials>(nobody, '/storeadmin/v3/user/generate-regid', {
    useremail: DEMO_SHOPPER,
    useragenttype: 'web',
  });
  const credentials = { ...store, regid, sessionid };
  const [lid = '', tolid = '', archive = ''] = await Promise.all(
    LISTS.map((lname) => ensureList(credentials, lname)),
  );
  await callApi(credentials, '/api/v3/lists/update-ctx', { lid, a: itemText(address) });
  const { list } = await callApi<{ list: List }>(credentials, '/api/v3/lists/sfl/create');
  return { credentials, lid, tolid, archive, saved: list.lid };
}

/** The demo product as an item to add. */
export const itemText = (address: string): string =>
  JSON.stringify([{ ...PRODUCT, du: pageOf(address), qty: 1 }]);

const pageOf = (address: string): string => `${address}/demo#/p/throw`;

const ADDRESSES = new Set(['useremail', 'mediumvalue']);
const REVIEWED = ['/api/v3/lists/markArchived', '/api/v3/lists/markUnarchived'];

function valueOf(name: string, { path }: Call, demo: Demo): string | undefined {
  if (ADDRESSES.has(name)) return DEMO_SHOPPER;
  if (name === 'lid' && REVIEWED.includes(path)) return demo.archive;
  if (name === 'lid') return path.includes('/sfl/') ? demo.saved : demo.lid;
  if (name === 'fromlid') return demo.lid;
  if (name === 'tolid') return demo.tolid;
  return name === 'lname' && path.endsWith('/lists/update') ? LISTS[0] : undefined;
}

/** What stands in a call's fields at first: its example, with the demo's own ids where they are known. */
export function firstValues(call: Call, demo: Demo | null, address: string): Values {
  const values: Values = {};
  for (const { name, value } of call.fields) {
    const own = demo && value ? valueOf(name, call, demo) : undefined;
    values[name] = own ?? (demo ? value.replaceAll(EXAMPLE_PAGE, pageOf(address)) : value);
  }
  return values;
}
