import type { ListContents, SaveForLater, Wishgate } from '../../../packages/client/src/wishgate.ts';
import { callable, done, fieldsOf, productOf, refOf } from './call.ts';
import type { PageProduct } from './call.ts';

/** Pages that stored a missing id pass it back as the string `null` or `undefined`. */
const isLid = (value: unknown): value is string =>
  typeof value === 'string' && !/^(|null|undefined)$/.test(value);

/** Accepts the list as the first argument, or the items first as in the browser client. */
export function createSaved(client: Wishgate, details: (lid: string) => Promise<ListContents>) {
  const saved = client.SaveForLater;
  const init = async () => {
    const contents = await saved.init();
    return { ...contents, listid: contents.list.lid };
  };
  const change =
    (name: Exclude<keyof SaveForLater, 'init'>, toItem: (product: PageProduct) => object) =>
    (...given: unknown[]) => {
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
    init: callable(init),
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
