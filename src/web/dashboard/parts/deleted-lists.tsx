import { DeletedListsDocument, RestoreDeletedListDocument } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Failure, Loaded } from './feedback.tsx';
import { Table } from './layout.tsx';
import { Pager, useTrail } from './pager.tsx';

/** What a shopper deleted and can have back: support brings it back on request. */
export function DeletedLists({ regid }: { regid: string }) {
  const { run, notify } = useSession();
  const trail = useTrail('');
  const lists = useQuery(DeletedListsDocument, { after: trail.after }, regid);
  const restore = useAction(async (lid: string) => {
    const { restoreList } = await run(RestoreDeletedListDocument, { lid }, { regid });
    notify(`${restoreList.lname} is back.`);
    lists.reload();
  });
  return (
    <>
      <Failure error={restore.error} />
      <Loaded query={lists} lines={1}>
        {({ deletedLists }) =>
          deletedLists.totalCount === 0 ? (
            <p>There is nothing to bring back.</p>
          ) : (
            <>
              <Table
                caption="Deleted lists"
                isDense
                rows={deletedLists.edges}
                keyOf={({ node }) => node.lid}
                columns={[
                  { label: 'Name', cell: ({ node }) => node.lname },
                  { label: 'Items', isNumber: true, cell: ({ node }) => formatNumber(node.cnt) },
                  { label: 'Deleted', cell: ({ deletedAt }) => formatMoment(deletedAt) },
                  { label: 'Can be brought back until', cell: (edge) => formatMoment(edge.restorableUntil) },
                  {
                    label: 'Bring back',
                    isAction: true,
                    cell: ({ node }) => (
                      <button
                        type="button"
                        class="small secondary"
                        disabled={restore.isBusy}
                        onClick={() => void restore.start(node.lid)}
                        aria-label={`Bring back ${node.lname}`}
                      >
                        Bring back
                      </button>
                    ),
                  },
                ]}
              />
              <Pager
                trail={trail}
                pageInfo={deletedLists.pageInfo}
                isStale={lists.isStale}
                labels={['Newer', 'Older']}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
