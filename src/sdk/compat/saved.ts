import type { ListContents, SaveForLater, Wishgate } from '../client/wishgate.ts';
import { done, fieldsOf, productOf, refOf } from './call.ts';
import type { Callback, PageProduct } from './call.ts';

/** A text that pages got by storing what was not there names no list. */
const isLid = (value: unknown): value is string =>
  typeof value === 'string' && !/^(|null|undefined)$/.test(value);

type Change = 'add' | 'remove' | 'update' | 'moveToCart';

/** Save for later in the form that pages call, the list first, and in the library's, the items first. */
export function createSaved(client: Wishgate, details: (lid: string) => Promise<ListContents>) {
  const saved = client.SaveForLater;
  const init = async () => {
    const contents = await saved.init();
    return { ...contents, listid: contents.list.lid };
  };
  const change =
    (name: Change, toItem: (product: PageProduct) => object) =>
    (...given: unknown[]) => {
      // Items are never a text, and a list that the page does not know is none.
      const hasList = typeof given[0] === 'string' || given[0] == null;
      const [lid, items, ok, err] = hasList ? given : [null, ...given];
      return done(
        async () => {
          const list = isLid(lid) ? lid : (await init()).listid;
          const call = saved[name] as (lid: string, items: object[]) => ReturnType<SaveForLater['add']>;
          return call(list, [items as PageProduct].flat().map(toItem));
        },
        ok,
        err,
      );
    };

  return {
    init: (ok?: Callback, err?: Callback) => done(init, ok, err),
    fetch: (...given: unknown[]) => {
      const [lid, ok, err] = typeof given[0] === 'function' ? [null, ...given] : given;
      return done(async () => (isLid(lid) ? details(lid) : init()), ok, err);
    },
    add: change('add', productOf),
    remove: change('remove', refOf),
    update: change('update', fieldsOf),
    moveToCart: change('moveToCart', refOf),
  };
}
