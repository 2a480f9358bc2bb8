import { CreateStoreDocument } from '../../../generated/dashboard.ts';
import type { StoreInfo } from '../api.ts';
import { useSession, useText } from '../session.ts';
import { Button } from './button.tsx';
import { Dialog, useDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';
import { CopyField } from './secret.tsx';

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

/** Creates a store and shows its id and its first key, the key only once. */
export function CreateStore({ onCreated }: { onCreated: () => void }) {
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
