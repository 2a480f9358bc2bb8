import type { Caller } from './caller.ts';
import { callable, clientError } from './error.ts';
import type { ItemEvent, Events } from './events.ts';
import type { Identity, Item, ListContents, SaveForLater, SaveForLaterChange } from './types.ts';

/** Runs a write; the cached lists are invalidated before and after it. */
export type Write = <Result>(run: () => Promise<Result>) => Promise<Result>;

/** Calls `onList` with the id of the list, which `init` may have created. */
export function createSaveForLater(
  caller: Caller,
  write: Write,
  events: Events,
  onList: (lid: string) => void,
): SaveForLater {
  let known: { regid: string; lid: string } | null = null;

  const init = async (): Promise<ListContents> => {
    const { who, body } = await caller.restResponse<ListContents>('lists/sfl/create', {});
    known = { regid: who.regid, lid: body.list.lid };
    onList(known.lid);
    events.learn([body.list]);
    return body;
  };

  // If the shopper has logged in since `init`, the account's list replaces the guest's.
  const lidFor = async ({ regid }: Identity): Promise<string> =>
    known?.regid === regid ? known.lid : (await init()).list.lid;

  const change = <Items, Result>(path: string, kind?: ItemEvent): SaveForLaterChange<Items, Result> => {
    const call = callable(async (lid: string | null, items: Items | Items[]) => {
      if (lid === null && known === null)
        throw clientError('invalid-request', 'Call SaveForLater.init before the other save-for-later calls');
      const fields = async (who: Identity) => ({ lid: lid ?? (await lidFor(who)), items: [items].flat() });
      const result = await write(() => caller.rest<Result>(`lists/sfl/${path}`, fields));
      // The first field has the items.
      if (kind) events.report(kind, lid ?? known?.lid ?? '', Object.values(result as object)[0] as Item[]);
      return result;
    });
    // A string as the first argument is the list id.
    return (...given: unknown[]) =>
      call(...((typeof given[0] === 'string' ? given : [null, ...given]) as Parameters<typeof call>));
  };

  return Object.freeze<SaveForLater>({
    init: callable(init),
    add: change('add', 'a'),
    remove: change('remove', 'd'),
    update: change('update'),
    moveToCart: change('moved-to-cart', 'c'),
  });
}
