import { useState } from 'preact/hooks';
import {
  CreateApiKeyDocument,
  RenameApiKeyDocument,
  RevokeApiKeyDocument,
} from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment } from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useAction, useSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';
import { Badge, Failure } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Card, Table } from './layout.tsx';
import { SecretDialog } from './secret.tsx';

type Key = StoreSettingsFragment['apiKeys'][number];

/** Asks for the name of a key; for a new one it then shows the key, this once. */
function KeyForm({
  renamed,
  onClose,
  onDone,
}: {
  renamed: Key | null;
  onClose: () => void;
  onDone: () => void;
}) {
  const { run, notify } = useSession();
  const [name, setName] = useState(renamed?.name ?? '');
  const [fresh, setFresh] = useState<string | null>(null);
  const save = useAction(async () => {
    if (renamed === null) {
      setFresh((await run(CreateApiKeyDocument, { name: name.trim() })).createApiKey.apiKey);
      return onDone();
    }
    await run(RenameApiKeyDocument, { id: renamed.id, name: name.trim() });
    notify(`The key …${renamed.hint} has its new name.`);
    onDone();
    onClose();
  });
  if (fresh !== null) {
    return <SecretDialog title="New API key" label="API key" secret={fresh} onClose={onClose} />;
  }
  return (
    <Dialog title={renamed ? `Rename the key …${renamed.hint}` : 'Create API key'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.start();
        }}
      >
        <TextField
          label="Name"
          maxLength={60}
          value={name}
          onValue={setName}
          autocomplete="off"
          placeholder="Shop back end"
          hint="What it is for, so that you know later which one to revoke."
        />
        <Failure error={save.error} />
        <footer class="buttons">
          <button type="button" class="secondary outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={save.isBusy} aria-busy={save.isBusy}>
            {renamed ? 'Save name' : 'Create'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** How a key is called in words. */
const labelOf = ({ name, hint }: Key): string => (name ? `${name} (…${hint})` : `…${hint}`);

/** The keys that open the store: add one, name one, end one. */
export function ApiKeys({ keys, onChanged }: { keys: Key[]; onChanged: () => void }) {
  const { run, notify } = useSession();
  const [naming, setNaming] = useState<Key | 'new' | null>(null);
  const [ending, setEnding] = useState<Key | null>(null);
  return (
    <Card
      title="API keys"
      note="To rotate: create a new one, put it in your shop's back end, then revoke the old one. Revoking also ends the dashboards that signed in with it."
      aside={
        <button type="button" class="small" onClick={() => setNaming('new')}>
          Create key
        </button>
      }
    >
      <Table
        caption="API keys"
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            label: 'Key',
            cell: ({ name, hint, isCurrent }) => (
              <>
                {name && <strong>{name} </strong>}
                <span class="code">…{hint}</span> {isCurrent && <Badge tone="good">this session</Badge>}
              </>
            ),
          },
          {
            label: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : formatMoment(lastUsedAt)),
          },
          { label: 'Created', cell: ({ cts }) => formatMoment(cts) },
          {
            label: 'Actions',
            isAction: true,
            cell: (key) => (
              <div class="buttons">
                <button
                  type="button"
                  class="small secondary outline"
                  aria-label={`Rename the key that ends in ${key.hint}`}
                  onClick={() => setNaming(key)}
                >
                  Rename
                </button>
                {!key.isCurrent && (
                  <button
                    type="button"
                    class="small danger outline"
                    aria-label={`Revoke the key that ends in ${key.hint}`}
                    onClick={() => setEnding(key)}
                  >
                    Revoke
                  </button>
                )}
              </div>
            ),
          },
        ]}
      />
      {naming && (
        <KeyForm
          renamed={naming === 'new' ? null : naming}
          onClose={() => setNaming(null)}
          onDone={onChanged}
        />
      )}
      {ending && (
        <Confirm
          title="Revoke this key?"
          action="Revoke"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await run(RevokeApiKeyDocument, { id: ending.id });
            notify(`The key ${labelOf(ending)} is revoked.`);
            setEnding(null);
            onChanged();
          }}
        >
          Every call with the key <span class="code">{labelOf(ending)}</span> is refused from now on. It
          cannot be undone.
        </Confirm>
      )}
    </Card>
  );
}
