import { useEffect, useState } from 'preact/hooks';
import type { Item, List } from '../../sdk/client/wishgate.ts';
import { attempt } from './actions.ts';
import { client } from './client.ts';
import { Button, Row } from './parts.tsx';
import { nameOf, shop } from './state.ts';
import type { Undo } from './toasts.ts';
import { inTurn } from './wishes.ts';

type Deleted = { lists: List[]; items: Item[] };

function useDeleted(lid: string | undefined): Deleted {
  const [deleted, setDeleted] = useState<Deleted>({ lists: [], items: [] });
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      if (!isCurrent) return;
      const [gone, items] = await Promise.all([
        client.deletedLists(),
        lid ? client.deletedItems({ lid }) : [],
      ]);
      if (isCurrent) setDeleted({ lists: gone.filter(({ lty }) => lty !== 'sfl'), items });
    };
    // The shop works without this section, and the bar shows when the service is unreachable.
    inTurn(read).catch(() => undefined);
    return () => void (isCurrent = false);
  }, [lid, shop.lists]);
  return deleted;
}

type DeletedRowProps = { name: string; hint: string; done?: string; onRestore: Undo };

function DeletedRow({ name, hint, done = `${name} restored`, onRestore }: DeletedRowProps) {
  const restore = (): Promise<boolean> => attempt(onRestore, { done, otherwise: `${name} wasn't restored` });
  return (
    <Row title={name} details={<p class="hint">{hint}</p>}>
      <Button label={`Restore ${name}`} onClick={restore}>
        Restore
      </Button>
    </Row>
  );
}

export const countItems = (count: number): string => (count === 1 ? '1 item' : `${count} items`);

export function RecentlyDeleted({ list }: { list?: List }) {
  const { lists, items } = useDeleted(list?.lid);
  const rows = [
    ...lists.map(({ lid, lname, cnt }) => (
      <DeletedRow
        key={lid}
        name={lname}
        hint={`List with ${countItems(cnt)}`}
        done="List restored"
        onRestore={() => client.restoreList(lid)}
      />
    )),
    ...items.map((item) => (
      <DeletedRow
        key={item.id}
        name={nameOf(item) || String(item.epi)}
        hint={`From ${list?.lname ?? 'a list'}`}
        onRestore={() => client.restoreItems(item.lid, [item.epi])}
      />
    )),
  ];
  if (rows.length === 0) return null;
  return (
    <section class="more" aria-labelledby="deleted-title">
      <h2 id="deleted-title">Recently deleted</h2>
      <ul class="lines">{rows}</ul>
    </section>
  );
}
