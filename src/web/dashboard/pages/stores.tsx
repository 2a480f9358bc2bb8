import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { StoreInfo } from '../api.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { CopyField, Dialog, DialogHost } from '../parts/dialog.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Badge, Button, Empty, Loaded, Page } from '../parts/layout.tsx';
import { TableCard, useSearch } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { SessionContext, useDialog, usePages, useQuery, useSession } from '../session.ts';
import { leaveWith } from '../unsaved.tsx';

/** The children call as the operator, not for the chosen store. */
function AsOperator({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const own = useMemo(() => ({ ...session, run: session.operator!.run }), [session]);
  return (
    <SessionContext.Provider value={own}>
      <DialogHost>{children}</DialogHost>
    </SessionContext.Provider>
  );
}

type Marked = { pid: string; isDemo: boolean; maintenance: boolean };

function StoreBadges({ store: { pid, isDemo, maintenance } }: { store: Marked }) {
  const { pid: current } = useSession();
  return (
    <>
      {isDemo && <Badge>demo</Badge>} {maintenance && <Badge tone="warn">closed</Badge>}{' '}
      {pid === current && <Badge tone="good">open now</Badge>}
    </>
  );
}

function Picker() {
  const { pid: current, operator } = useSession();
  const { close } = useDialog();
  const { search, box } = useSearch();
  const found = useQuery(gql.PickStoreDocument, { search: search || null });
  return (
    <Dialog title="Switch store">
      {box}
      <Loaded query={found} lines={4}>
        {({ stores: { edges, totalCount } }) => (
          <>
            {edges.length === 0 && <Empty title="No store fits" />}
            <ul class="plain-list store-choices">
              {edges.map(({ node }) => (
                <li key={node.pid}>
                  <button
                    type="button"
                    class="secondary outline"
                    aria-current={node.pid === current ? 'true' : undefined}
                    onClick={() => (close(), leaveWith(() => operator!.choose(node)))}
                  >
                    <span>{node.name}</span>
                    <StoreBadges store={node} />
                  </button>
                </li>
              ))}
            </ul>
            {totalCount > edges.length && (
              <p class="muted">
                {formatNumber(totalCount - edges.length)} more: search, or see{' '}
                <a href={hrefTo('stores')} onClick={close}>
                  all stores
                </a>
                .
              </p>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

export function StoreSwitcher() {
  return (
    <AsOperator>
      <Button text="Switch store" look="small secondary outline switcher" opens={<Picker />} />
    </AsOperator>
  );
}

function Created({ store, apiKey }: { store: StoreInfo; apiKey: string }) {
  const { operator } = useSession();
  const { close } = useDialog();
  return (
    <Dialog title={`${store.name} is created`}>
      <CopyField
        label="Store id (pid)"
        value={store.pid}
        note="Public: the shop's pages and back end name the store with it."
      />
      <CopyField
        label="First API key"
        value={apiKey}
        note="Secret: for the shop's back end and this dashboard. Keep it now: it is not shown again."
      />
      <footer class="buttons">
        <Button text="Done" look="secondary outline" onClick={close} />
        <Button text="Open the store" look="" onClick={() => operator!.choose(store)} />
      </footer>
    </Dialog>
  );
}

/** Asks for confirmation, because closing or opening a store affects its shoppers at once. */
function Maintenance({ store, onDone }: { store: gql.StoreRowFragment; onDone: () => void }) {
  const { run } = useSession();
  const { pid, name, maintenance } = store;
  return (
    <Confirm
      title={`${maintenance ? 'Open' : 'Close'} ${name}?`}
      label={maintenance ? 'Open again' : 'Close for maintenance'}
      onSubmit={async () => {
        await run(gql.SetStoreMaintenanceDocument, { pid, maintenance: !maintenance });
        onDone();
        return `${name} is ${maintenance ? 'open' : 'closed'}.`;
      }}
    >
      {maintenance
        ? 'Its shoppers and its back end are served again from now on.'
        : 'Every call for this store, of its shoppers too, is answered with 503 until it is opened again. Nothing is lost.'}
    </Confirm>
  );
}

function Stores() {
  const { run, operator } = useSession();
  const { search, box } = useSearch();
  const stores = usePages(gql.StoresDocument, { search: search || null });
  const create = (
    <FormDialog
      title="Create store"
      label="Create store"
      field={{
        label: 'Name',
        required: true,
        maxLength: 100,
        hint: 'Shoppers see it in mails and on shared lists. It can be changed later.',
      }}
      onSubmit={async (name) => {
        const { createStore } = await run(gql.CreateStoreDocument, { name });
        stores.reload();
        return <Created {...createStore} />;
      }}
    />
  );
  const actions = (store: gql.StoreRowFragment) => {
    const text = store.maintenance ? 'Open again' : 'Close';
    const ask = <Maintenance store={store} onDone={stores.reload} />;
    return (
      <>
        <Button text={text} label={`${text}: ${store.name}`} opens={ask} />
        <Button
          text="Work in it"
          look="small"
          label={`Work in it: ${store.name}`}
          onClick={() => operator!.choose(store)}
        />
      </>
    );
  };
  return (
    <Page
      title="Stores"
      lead="The stores of this service. Open one to work in it as its merchant would."
      aside={<Button text="Create store" look="" opens={create} />}
    >
      <TableCard
        title="All stores"
        note={stores.data && plural(stores.data.stores.totalCount, 'store')}
        caption="Stores"
        filters={box}
        query={stores}
        rowsOf={(data) => data.stores}
        keyOf={({ pid }) => pid}
        columns={[
          {
            label: 'Store',
            cell: (store) => (
              <div class="store-name">
                <strong>{store.name}</strong> <StoreBadges store={store} />
                <span class="muted code">{store.pid}</span>
              </div>
            ),
          },
          { label: 'Shoppers', number: ({ shoppers }) => formatNumber(shoppers) },
          { label: 'Lists', number: ({ lists }) => formatNumber(lists) },
          { label: 'Created', cell: ({ cts }) => formatMoment(cts) },
          { label: 'Actions', actions },
        ]}
        empty={search ? 'No store fits' : 'There is no store yet'}
        emptyText={search ? 'A part of the name does, or the whole pid.' : 'Create the first one.'}
      />
    </Page>
  );
}

export function StoresPage() {
  return (
    <AsOperator>
      <Stores />
    </AsOperator>
  );
}
