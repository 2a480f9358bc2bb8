import { DeletedListsDocument, RestoreDeletedListDocument } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Button } from './button.tsx';
import { Failure } from './feedback.tsx';
import { useTrail } from './pager.tsx';
import { TableCard } from './table-card.tsx';

/** What a shopper deleted and can have back: support restores it on request. */
export function DeletedLists({ regid }: { regid: string }) {
  const { run, notify } = useSession();
  const trail = useTrail();
  const lists = useQuery(DeletedListsDocument, { after: trail.after }, regid);
  const restore = useAction(async (lid: string) => {
    const { restoreList } = await run(RestoreDeletedListDocument, { lid }, { regid });
    notify(`${restoreList.lname} is back.`);
    lists.reload();
  });
  return (
    <TableCard
      title="Deleted lists"
      caption="Deleted lists"
      isDense
      filters={restore.error && <Failure error={restore.error} />}
      query={lists}
      trail={trail}
      rowsOf={({ deletedLists: { edges, pageInfo } }) => ({
        edges: edges.map(({ node, ...edge }) => ({ node: { ...edge, ...node } })),
        pageInfo,
      })}
      keyOf={({ lid }) => lid}
      columns={[
        { label: 'Name', cell: ({ lname }) => lname },
        { label: 'Items', number: ({ cnt }) => formatNumber(cnt) },
        { label: 'Deleted', cell: ({ deletedAt }) => formatMoment(deletedAt) },
        { label: 'Can be brought back until', cell: (list) => formatMoment(list.restorableUntil) },
        {
          label: 'Bring back',
          actions: ({ lid, lname }) => (
            <Button
              look="small secondary"
              label={`Bring back ${lname}`}
              disabled={restore.isBusy}
              onClick={() => restore.start(lid)}
            >
              Bring back
            </Button>
          ),
        },
      ]}
      empty={<p>There is nothing to bring back.</p>}
    />
  );
}
