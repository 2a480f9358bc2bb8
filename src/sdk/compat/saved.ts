import type { ListContents, SaveForLater } from '../../../packages/client/src/wishgate.ts';
import { refOf } from './call.ts';
import { clean } from './clean.ts';
import type { Lists } from './lists.ts';
import type { Tools } from './more.ts';
import type { PageProduct } from './page.ts';

export type SavedName = 'fetch' | Exclude<keyof SaveForLater, 'init'>;

/** Pages that stored a missing id pass it back as the string `null` or `undefined`. */
const isLid = (value: unknown): value is string =>
  typeof value === 'string' && !/^(|null|undefined)$/.test(value);

/** Accepts the list as the first argument, or the items first as in the browser client. */
export function createSaved({ client, emit, complete }: Tools, { fetchListDetails }: Lists) {
  const calls = client.SaveForLater;
  const savedInit = async (): Promise<ListContents & { listid: string }> => {
    const contents = await calls.init();
    return { ...contents, listid: contents.list.lid };
  };
  const change = async (name: Exclude<SavedName, 'fetch'>, list: unknown, items: PageProduct[]) => {
    const lid = isLid(list) ? list : (await savedInit()).listid;
    const toItem = { add: complete, remove: refOf, update: clean, moveToCart: refOf }[name];
    const call = calls[name] as (lid: string, items: object[]) => Promise<object>;
    const answer = await call(
      lid,
      await Promise.all(items.map(async (item): Promise<object> => toItem(item))),
    );
    if (name === 'moveToCart') items.forEach((productData) => emit('movedToCartfromSFL', { productData }));
    return answer;
  };

  return {
    savedInit,
    saved: async (name: SavedName, ...given: unknown[]) => {
      const [first, second] = given;
      if (name === 'fetch') return isLid(first) ? fetchListDetails(first) : savedInit();
      const hasList = typeof first === 'string' || first == null;
      return change(name, first, [(hasList ? second : first) as PageProduct].flat());
    },
  };
}
