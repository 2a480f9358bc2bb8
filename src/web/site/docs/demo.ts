import type { Call } from './model.ts';
import { send } from './request.ts';
import type { Credentials, Values } from './request.ts';

/** The demo store, which this page knows only on the machine that runs the service. */
export type DemoStore = { pid: string; apiKey: string };

export type Demo = { credentials: Credentials; lid: string; tolid: string; archive: string; saved: string };

export const NO_CREDENTIALS: Credentials = { pid: '', apiKey: '', regid: '', sessionid: '' };

export const DEMO_SHOPPER = 'reference@example.com';
const LISTS = ['API reference', 'API reference, second', 'API reference, archived'];

export const PRODUCT = { epi: 1001, empi: 101 };
const EXAMPLE_PAGE = 'https://shop.example/p/linen-throw';

/** Sends a call of the page itself, and throws its error. */
export async function callApi<Body = Record<string, unknown>>(
  { pid, apiKey, regid, sessionid }: Credentials,
  path: string,
  fields: Values = {},
  headers: Values = {},
): Promise<Body> {
  const isStore = path.startsWith('/storeadmin/');
  const { isOk, status, body } = await send({
    method: 'POST',
    path,
    query: isStore ? {} : { pid },
    form: isStore ? fields : { regid, sessionid, ...fields },
    headers,
    basic: isStore ? `${pid}:${apiKey}` : null,
  });
  if (!isOk) throw new Error(`${path} returned ${status}: ${body}`);
  return JSON.parse(body) as Body;
}

type List = { lid: string; lname: string };

/** Finds or creates the list. Another tab may create it concurrently. */
async function ensureList(credentials: Credentials, lname: string): Promise<string> {
  const find = async (): Promise<List | undefined> => {
    const { data } = await callApi<{ data: List[] }>(credentials, '/api/v3/lists/fetch-user-lists');
    return data.find((list) => list.lname === lname);
  };
  const create = (): Promise<List> => callApi(credentials, '/api/v3/lists/create', { lname });
  const list = (await find()) ?? (await create().catch(find));
  if (!list) throw new Error(`The list "${lname}" could not be created`);
  return list.lid;
}

/** Identifies the demo's shopper and creates the lists of the examples. It is idempotent. */
export async function setUpDemo(store: DemoStore, address: string): Promise<Demo> {
  const anonymous = { ...NO_CREDENTIALS, ...store };
  const shopper = { useremail: DEMO_SHOPPER, useragenttype: 'web' };
  const identity = await callApi<Credentials>(anonymous, '/storeadmin/v3/user/generate-regid', shopper);
  const credentials = { ...store, regid: identity.regid, sessionid: identity.sessionid };
  const [lid = '', tolid = '', archive = ''] = await Promise.all(
    LISTS.map((lname) => ensureList(credentials, lname)),
  );
  await callApi(credentials, '/api/v3/lists/update-ctx', { lid, a: itemText(address) });
  const { list } = await callApi<{ list: List }>(credentials, '/api/v3/lists/sfl/create');
  return { credentials, lid, tolid, archive, saved: list.lid };
}

const pageOf = (address: string): string => `${address}/demo#/p/throw`;

export const itemText = (address: string): string =>
  JSON.stringify([{ ...PRODUCT, du: pageOf(address), qty: 1 }]);

function ownValue(name: string, { path }: Call, demo: Demo): string | undefined {
  if (name === 'useremail' || name === 'mediumvalue') return DEMO_SHOPPER;
  if (name === 'lid' && /\/mark(Una|A)rchived$/.test(path)) return demo.archive;
  if (name === 'lid' && path.includes('/sfl/')) return demo.saved;
  if (name === 'lid' || name === 'fromlid') return demo.lid;
  if (name === 'tolid') return demo.tolid;
  return name === 'lname' && path.endsWith('/lists/update') ? LISTS[0] : undefined;
}

/** The initial values of a call's fields: its example, with the demo's ids if they are known. */
export function firstValues(call: Call, demo: Demo | null, address: string): Values {
  const entries = call.fields.map(({ name, value }) => {
    if (!demo || !value) return [name, value];
    return [name, ownValue(name, call, demo) ?? value.replaceAll(EXAMPLE_PAGE, pageOf(address))];
  });
  return Object.fromEntries(entries) as Values;
}
