import { useState } from 'preact/hooks';
import { CreateStoreDocument } from '../../../generated/dashboard.ts';
import type { CreateStoreMutation } from '../../../generated/dashboard.ts';
import { useAction, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { CopyField } from './secret.tsx';

type Created = NonNullable<CreateStoreMutation['createStore']>;

/** Makes a store and shows its id and first key, the key this once. */
export function CreateStore({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { run, operator } = useSession();
  const [name, setName] = useState('');
  const [made, setMade] = useState<Created | null>(null);
  const create = useAction(async () => {
    setMade((await run(CreateStoreDocument, { name: name.trim() })).createStore);
    onCreated();
  });
  if (made !== null) {
    return (
      <Dialog title={`${made.store.name} is created`} onClose={onClose}>
        <CopyField
          label="Store id (pid)"
          value={made.store.pid}
          note="Public: the shop's pages and back end name the store with it."
        />
        <CopyField
          label="First API key"
          value={made.apiKey}
          note="Secret: for the shop's back end and this dashboard. Keep it now: it is not shown again."
        />
        <footer class="buttons">
          <button type="button" class="secondary outline" onClick={onClose}>
            Done
          </button>
          <button type="button" onClick={() => operator!.choose(made.store)}>
            Open the store
          </button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create store" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.start();
        }}
      >
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          onValue={setName}
          autocomplete="off"
          hint="Shoppers see it in mails and on shared lists. It can be changed later."
        />
        <Failure error={create.error} />
        <footer class="buttons">
          <button type="button" class="secondary outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={create.isBusy} aria-busy={create.isBusy}>
            Create store
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
