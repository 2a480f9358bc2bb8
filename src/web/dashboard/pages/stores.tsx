import { useState } from 'preact/hooks';
import { SetStoreMaintenanceDocument, StoresDocument } from '../../../generated/dashboard.ts';
import type { StoreRowFragment } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { Confirm } from '../parts/confirm.tsx';
import { CreateStore } from '../parts/create-store.tsx';
import { Badge, Empty, Loaded } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { Pager, useTrail } from '../parts/pager.tsx';
import { useSettled } from '../parts/settled.ts';
import { AsOperator } from '../parts/store-switcher.tsx';
import { useQuery, useSession } from '../session.ts';

/** Asks before a store is closed or opened: its shoppers notice at once. */
function Maintenance({
  store,
  onClose,
  onDone,
}: {
  store: StoreRowFragment;
  onClose: () => void;
  onDone: () => void;
}) {
  const { run, notify } = useSession();
  const isClosing = !store.maintenance;
  return (
    <Confirm
      title={`${isClosing ? 'Close' : 'Open'} ${store.name}?`}
      action={isClosing ? 'Close for maintenance' : 'Open again'}
      onClose={onClose}
      onConfirm={async () => {
        await run(SetStoreMaintenanceDocument, { pid: store.pid, maintenance: isClosing });
        notify(`${store.name} is ${isClosing ? 'closed' : 'open'}.`);
        onDone();
      }}
    >
      {isClosing
        ? 'Every call for this store, of its shoppers too, is answered with 503 until it is opened again. Nothing is lost.'
        : 'Its shoppers and its back end are served again from now on.'}
    </Confirm>
  );
}

function Stores() {
  const { pid: current, operator } = useSession();
  const [text, setText] = useState('');
  const search = useSettled(text.trim());
  const trail = useTrail(search);
  const stores = useQuery(StoresDocument, { search: search || null, after: trail.after });
  const [isCreating, setCreating] = useState(false);
  const [changing, setChanging] = useState<StoreRowFragment | null>(null);
  const createButton = (
    <button type="button" onClick={() => setCreating(true)}>
      Create store
    </button>
  );
  return (
    <>
      <PageHead
        title="Stores"
        lead="The stores of this service. Open one to work in it as its merchant would."
        aside={createButton}
      />
      <Card title="All stores" note={stores.data && plural(stores.data.stores.totalCount, 'store')}>
        <TextField label="Search" type="search" value={text} onValue={setText} placeholder="Name or pid" />
        <Loaded query={stores} lines={6}>
          {({ stores: { edges, pageInfo } }) => (
            <>
              {edges.length === 0 ? (
                <Empty title={search ? 'No store fits' : 'There is no store yet'}>
                  {search ? 'A part of the name does, or the whole pid.' : 'Create the first one.'}
                </Empty>
              ) : (
                <Table
                  caption="Stores"
                  rows={edges.map(({ node }) => node)}
                  keyOf={({ pid }) => pid}
                  columns={[
                    {
                      label: 'Store',
                      cell: ({ name, pid, isDemo, maintenance }) => (
                        <div class="store-name">
                          <strong>{name}</strong> {isDemo && <Badge>demo</Badge>}{' '}
                          {maintenance && <Badge tone="warn">closed</Badge>}{' '}
                          {pid === current && <Badge tone="good">open now</Badge>}
                          <span class="muted code">{pid}</span>
                        </div>
                      ),
                    },
                    { label: 'Shoppers', isNumber: true, cell: ({ shoppers }) => formatNumber(shoppers) },
                    { label: 'Lists', isNumber: true, cell: ({ lists }) => formatNumber(lists) },
                    { label: 'Created', cell: ({ cts }) => formatMoment(cts) },
                    {
                      label: 'Actions',
                      isAction: true,
                      cell: (store) => (
                        <div class="buttons">
                          <button
                            type="button"
                            class="small secondary outline"
                            aria-label={`${store.maintenance ? 'Open again' : 'Close'}: ${store.name}`}
                            onClick={() => setChanging(store)}
                          >
                            {store.maintenance ? 'Open again' : 'Close'}
                          </button>
                          <button
                            type="button"
                            class="small"
                            aria-label={`Work in it: ${store.name}`}
                            onClick={() => operator!.choose(store)}
                          >
                            Work in it
                          </button>
                        </div>
                      ),
                    },
                  ]}
                />
              )}
              <Pager trail={trail} pageInfo={pageInfo} isStale={stores.isStale} labels={['Newer', 'Older']} />
            </>
          )}
        </Loaded>
      </Card>
      {isCreating && <CreateStore onClose={() => setCreating(false)} onCreated={stores.reload} />}
      {changing && (
        <Maintenance
          store={changing}
          onClose={() => setChanging(null)}
          onDone={() => {
            setChanging(null);
            stores.reload();
          }}
        />
      )}
    </>
  );
}

/** All stores, for operators: make one, open one, close one. */
export function StoresPage() {
  return (
    <AsOperator>
      <Stores />
    </AsOperator>
  );
}
