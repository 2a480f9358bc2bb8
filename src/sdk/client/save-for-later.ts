import type { Caller, Fields } from './caller.ts';
import { clientError, settle } from './error.ts';
import type {
  Identity,
  ListContents,
  OnError,
  OnSuccess,
  SaveForLater,
  SaveForLaterChange,
} from './types.ts';

/** Runs a write; the cached lists are invalidated before and after it. */
export type Write = <Result>(run: () => Promise<Result>) => Promise<Result>;

/** Calls `onList` with the id of the list, which `init` may have created. */
export function createSaveForLater(
  caller: Caller,
  write: Write,
  onList: (lid: string) => void,
): SaveForLater {
  let isReady = false;
  let known: { regid: string; lid: string } | null = null;

  const init = async (): Promise<ListContents> => {
    const { who, body } = await caller.restResponse<ListContents>('lists/sfl/create', {});
    known = { regid: who.regid, lid: body.list.lid };
    isReady = true;
    onList(known.lid);
    return body;
  };

  const lidFor = async ({ regid }: Identity): Promise<string> => {
    // If the shopper has logged in since `init`, the account's list replaces the guest's.
    return known?.regid === regid ? known.lid : (await init()).list.lid;
  };

  /** A string as the first argument is the list id. */
  const change =
    <Items, Result>(path: string): SaveForLaterChange<Items, Result> =>
    (...given: unknown[]): Promise<Result> => {
      const [lid, items, onSuccess, onError] = (typeof given[0] === 'string' ? given : [null, ...given]) as [
        string | null,
        Items | Items[],
        OnSuccess<Result>?,
        OnError?,
      ];
      const fields = async (who: Identity): Promise<Fields> => ({
        lid: lid ?? (await lidFor(who)),
        items: [items].flat(),
      });
      return settle(
        () => {
          if (lid === null && !isReady)
            throw clientError(
              'invalid-request',
              'Call SaveForLater.init before the other save-for-later calls',
            );
          return write(() => caller.rest<Result>(`lists/sfl/${path}`, fields));
        },
        onSuccess,
        onError,
      );
    };

  return Object.freeze<SaveForLater>({
    init: (onSuccess, onError) => settle(init, onSuccess, onError),
    add: change('add'),
    remove: change('remove'),
    update: change('update'),
    moveToCart: change('moved-to-cart'),
  });
}
