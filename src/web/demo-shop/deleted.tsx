import type { List } from '../../../packages/client/src/wishgate.ts';
import { attempt } from './actions.ts';
import { client } from './client.ts';
import { useLoaded } from './loaded.ts';
import { Button, Row } from './parts.tsx';
import { nameOf, shop } from './state.ts';
import type { Undo } from './toasts.ts';
import { inTurn } from './wishes.ts';

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
  const read = () => Promise.all([client.deletedLists(), list ? client.deletedItems({ lid: list.lid }) : []]);
  // The shop works without this section, and the bar shows when the service is unreachable.
  const [lists, items] = useLoaded(read, [list?.lid, shop.lists], inTurn) ?? [[], []];
  const own = lists.filter(({ lty }) => lty !== 'sfl');
  const rows = [
    ...own.map(({ lid, lname, cnt }) => (
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
