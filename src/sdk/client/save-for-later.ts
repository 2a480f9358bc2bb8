import type { Caller, Fields } from './caller.ts';
import { ownFailure, settle } from './failure.ts';
import type {
  Identity,
  ListContents,
  OnError,
  OnSuccess,
  SaveForLater,
  SaveForLaterChange,
} from './types.ts';

/** Runs a write: the cached lists are dropped before and after it. */
export type Write = <Answer>(run: () => Promise<Answer>) => Promise<Answer>;

/** `onList` hears which list it is, which the call that asks may have made. */
export function createSaveForLater(
  caller: Caller,
  write: Write,
  onList: (lid: string) => void,
): SaveForLater {
  let isReady = false;
  /** The list of the shopper it was made for; another shopper has another one. */
  let known: { regid: string; lid: string } | null = null;

  const init = async (): Promise<ListContents> => {
    const { who, body } = await caller.restAnswer<ListContents>('lists/sfl/create', {});
    known = { regid: who.regid, lid: body.list.lid };
    isReady = true;
    onList(known.lid);
    return body;
  };

  const lidFor = async ({ regid }: Identity): Promise<string> => {
    // The shopper logged in since `init`: the account's list takes the guest's place.
    return known?.regid === regid ? known.lid : (await init()).list.lid;
  };

  /** The list comes first where the first argument is a text. */
  const change =
    <Items, Answer>(path: string): SaveForLaterChange<Items, Answer> =>
    (...given: unknown[]): Promise<Answer> => {
      const [lid, items, onSuccess, onError] = (typeof given[0] === 'string' ? given : [null, ...given]) as [
        string | null,
        Items | Items[],
        OnSuccess<Answer>?,
        OnError?,
      ];
      const fields = async (who: Identity): Promise<Fields> => ({
        lid: lid ?? (await lidFor(who)),
        items: [items].flat(),
      });
      return settle(
        () => {
          if (lid === null && !isReady)
            throw ownFailure(
              'invalid-request',
              'Call SaveForLater.init before the other save-for-later calls',
            );
          return write(() => caller.rest<Answer>(`lists/sfl/${path}`, fields));
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
