import type { Caller, Fields } from './caller.ts';
import { ownFailure, settle } from './failure.ts';
import type { Identity, ListContents, OnError, OnSuccess, SaveForLater } from './types.ts';

/** Runs a write: the cached lists are dropped before and after it. */
export type Write = <Answer>(run: () => Promise<Answer>) => Promise<Answer>;

export function createSaveForLater(caller: Caller, write: Write): SaveForLater {
  let isReady = false;
  /** The list of the shopper it was made for; another shopper has another one. */
  let known: { regid: string; lid: string } | null = null;

  const create = (): Promise<ListContents> => caller.rest<ListContents>('lists/sfl/create', {});

  const init = async (): Promise<ListContents> => {
    let regid = '';
    const { text } = await caller.restText('lists/sfl/create', async (who: Identity) => {
      regid = who.regid;
      return {};
    });
    const answer = JSON.parse(text) as ListContents;
    known = { regid, lid: answer.list.lid };
    isReady = true;
    return answer;
  };

  const lidFor = async ({ regid }: Identity): Promise<string> => {
    // The shopper logged in since `init`: the account's list takes the guest's place.
    if (known?.regid !== regid) known = { regid, lid: (await create()).list.lid };
    return known.lid;
  };

  const change =
    <Input, Answer>(path: string) =>
    (items: Input | Input[], onSuccess?: OnSuccess<Answer>, onError?: OnError): Promise<Answer> => {
      const fields = async (who: Identity): Promise<Fields> => ({
        lid: await lidFor(who),
        items: [items].flat(),
      });
      const answer = isReady
        ? write(() => caller.rest<Answer>(`lists/sfl/${path}`, fields))
        : Promise.reject<Answer>(
            ownFailure('invalid-request', 'Call SaveForLater.init before the other save-for-later calls'),
          );
      return settle(answer, onSuccess, onError);
    };

  return Object.freeze<SaveForLater>({
    init: (onSuccess, onError) => settle(init(), onSuccess, onError),
    add: change('add'),
    remove: change('remove'),
    update: change('update'),
    moveToCart: change('moved-to-cart'),
  });
}
