import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Item, List } from '../../sdk/client/wishgate.ts';
import { client } from './client.ts';
import { useShop } from './state.ts';
import type { Undo } from './toasts.ts';

type Deleted = { lists: List[]; items: Item[] };

/** What can be brought back, read again whenever the lists change. */
function useDeleted(lid: string | null): Deleted {
  const { lists, inTurn } = useShop();
  const [deleted, setDeleted] = useState<Deleted>({ lists: [], items: [] });
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      // Another change came meanwhile, after which it is read again.
      if (!isCurrent) return;
      const [gone, items] = await Promise.all([
        client.deletedLists(),
        lid === null ? [] : client.deletedItems({ lid }),
      ]);
      if (isCurrent) setDeleted({ lists: gone.filter(({ lty }) => lty !== 'sfl'), items });
    };
    inTurn(read).catch(
      // The shop works without this place, and says elsewhere when the service is away.
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, [lid, lists, inTurn]);
  return deleted;
}

function Line({ name, hint, onBack }: { name: string; hint: string; onBack: Undo }): JSX.Element {
  const { attempt } = useShop();
  return (
    <li class="line">
      <div class="grow">
        <h3>{name}</h3>
        <p class="hint">{hint}</p>
      </div>
      <button
        type="button"
        class="button"
        aria-label={`Bring back ${name}`}
        onClick={() => void attempt(onBack, { done: `${name} is back`, otherwise: `${name} is not back` })}
      >
        Bring back
      </button>
    </li>
  );
}

/** Deleted lists, and what was deleted from the list that is shown. */
export function RecentlyDeleted({ list }: { list: List | null }): JSX.Element | null {
  const { lists, items } = useDeleted(list?.lid ?? null);
  if (lists.length === 0 && items.length === 0) return null;
  return (
    <section class="deleted" aria-labelledby="deleted-title">
      <h2 id="deleted-title">Recently deleted</h2>
      <ul class="lines">
        {lists.map(({ lid, lname, cnt }) => (
          <Line
            key={lid}
            name={lname}
            hint={cnt === 1 ? 'List with 1 item' : `List with ${cnt} items`}
            onBack={() => client.restoreList(lid)}
          />
        ))}
        {items.map(({ id, lid, epi, dt, title }) => (
          <Line
            key={id}
            name={dt ?? title ?? String(epi)}
            hint={`From ${list?.lname ?? 'a list'}`}
            onBack={() => client.restoreItems(lid, [epi])}
          />
        ))}
      </ul>
    </section>
  );
}
