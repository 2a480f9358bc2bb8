import {
  CreateStoreDocument,
  SetStoreMaintenanceDocument,
  StoresDocument,
} from '../../../generated/dashboard.ts';
import type { StoreRowFragment } from '../../../generated/dashboard.ts';
import type { StoreInfo } from '../api.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { Dialog, useDialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Button, PageHead } from '../parts/layout.tsx';
import { CopyField } from '../parts/secret.tsx';
import { AsOperator, StoreBadges } from '../parts/store-switcher.tsx';
import { TableCard, useSearch, useTrail } from '../parts/table-card.tsx';
import { useQuery, useSession, useText } from '../session.ts';

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
        <Button look="secondary outline" onClick={close}>
          Done
        </Button>
        <Button look="" onClick={() => operator!.choose(store)}>
          Open the store
        </Button>
      </footer>
    </Dialog>
  );
}

function CreateStore({ onCreated }: { onCreated: () => void }) {
  const { run } = useSession();
  const name = useText();
  const create = async () => {
    const { createStore } = await run(CreateStoreDocument, { name: name.value.trim() });
    onCreated();
    return <Created {...createStore} />;
  };
  return (
    <FormDialog title="Create store" label="Create store" onSubmit={create}>
      <TextField
        label="Name"
        required
        maxLength={100}
        {...name}
        autocomplete="off"
        hint="Shoppers see it in mails and on shared lists. It can be changed later."
      />
    </FormDialog>
  );
}

/** Asks for confirmation, because closing or opening a store affects its shoppers at once. */
function Maintenance({ store, onDone }: { store: StoreRowFragment; onDone: () => void }) {
  const { run, notify } = useSession();
  const isClosing = !store.maintenance;
  const change = async (): Promise<void> => {
    await run(SetStoreMaintenanceDocument, { pid: store.pid, maintenance: isClosing });
    notify(`${store.name} is ${isClosing ? 'closed' : 'open'}.`);
    onDone();
  };
  return (
    <Confirm
      title={`${isClosing ? 'Close' : 'Open'} ${store.name}?`}
      label={isClosing ? 'Close for maintenance' : 'Open again'}
      onSubmit={change}
    >
      {isClosing
        ? 'Every call for this store, of its shoppers too, is answered with 503 until it is opened again. Nothing is lost.'
        : 'Its shoppers and its back end are served again from now on.'}
    </Confirm>
  );
}

function Stores() {
  const { operator } = useSession();
  const { open } = useDialog();
  const { search, box } = useSearch();
  const trail = useTrail(search);
  const stores = useQuery(StoresDocument, { search: search || null, after: trail.after });
  const actions = (store: StoreRowFragment) => (
    <>
      <Button
        label={`${store.maintenance ? 'Open again' : 'Close'}: ${store.name}`}
        onClick={() => open(<Maintenance store={store} onDone={stores.reload} />)}
      >
        {store.maintenance ? 'Open again' : 'Close'}
      </Button>
      <Button look="small" label={`Work in it: ${store.name}`} onClick={() => operator!.choose(store)}>
        Work in it
      </Button>
    </>
  );
  return (
    <>
      <PageHead
        title="Stores"
        lead="The stores of this service. Open one to work in it as its merchant would."
        aside={
          <Button look="" onClick={() => open(<CreateStore onCreated={stores.reload} />)}>
            Create store
          </Button>
        }
      />
      <TableCard
        title="All stores"
        note={stores.data && plural(stores.data.stores.totalCount, 'store')}
        caption="Stores"
        filters={box}
        query={stores}
        trail={trail}
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
        empty={
          <Empty title={search ? 'No store fits' : 'There is no store yet'}>
            {search ? 'A part of the name does, or the whole pid.' : 'Create the first one.'}
          </Empty>
        }
      />
    </>
  );
}

export function StoresPage() {
  return (
    <AsOperator>
      <Stores />
    </AsOperator>
  );
}
