import {
  CreateApiKeyDocument,
  RenameApiKeyDocument,
  RevokeApiKeyDocument,
} from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment } from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useSession, useText } from '../session.ts';
import { useDialog } from './dialog.tsx';
import { Badge } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Button, Card, Table } from './layout.tsx';
import { SecretDialog } from './secret.tsx';

type Key = StoreSettingsFragment['apiKeys'][number];

/** Asks for the name of a key, then shows a new key once. */
function KeyForm({ renamed, onDone }: { renamed?: Key; onDone: () => void }) {
  const { run, notify } = useSession();
  const name = useText(renamed?.name ?? '');
  const create = async () => {
    const { createApiKey } = await run(CreateApiKeyDocument, { name: name.value.trim() });
    onDone();
    return <SecretDialog title="New API key" label="API key" secret={createApiKey.apiKey} />;
  };
  const rename = async ({ id, hint }: Key): Promise<void> => {
    await run(RenameApiKeyDocument, { id, name: name.value.trim() });
    notify(`The key …${hint} has its new name.`);
    onDone();
  };
  return (
    <FormDialog
      title={renamed ? `Rename the key …${renamed.hint}` : 'Create API key'}
      label={renamed ? 'Save name' : 'Create'}
      onSubmit={renamed ? () => rename(renamed) : create}
    >
      <TextField
        label="Name"
        maxLength={60}
        {...name}
        autocomplete="off"
        placeholder="Shop back end"
        hint="What it is for, so that you know later which one to revoke."
      />
    </FormDialog>
  );
}

function RevokeKey({ id, label, onDone }: { id: string; label: string; onDone: () => void }) {
  const { run, notify } = useSession();
  const revoke = async (): Promise<void> => {
    await run(RevokeApiKeyDocument, { id });
    notify(`The key ${label} is revoked.`);
    onDone();
  };
  return (
    <Confirm title="Revoke this key?" label="Revoke" onSubmit={revoke}>
      Every call with the key <span class="code">{label}</span> is refused from now on. It cannot be undone.
    </Confirm>
  );
}

const labelOf = ({ name, hint }: Key): string => (name ? `${name} (…${hint})` : `…${hint}`);

export function ApiKeys({ keys, onChanged }: { keys: Key[]; onChanged: () => void }) {
  const { open } = useDialog();
  return (
    <Card
      title="API keys"
      note="To rotate: create a new one, put it in your shop's back end, then revoke the old one. Revoking also ends the dashboards that signed in with it."
      aside={
        <Button look="small" onClick={() => open(<KeyForm onDone={onChanged} />)}>
          Create key
        </Button>
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
            actions: (key) => (
              <>
                <Button
                  label={`Rename the key that ends in ${key.hint}`}
                  onClick={() => open(<KeyForm renamed={key} onDone={onChanged} />)}
                >
                  Rename
                </Button>
                {!key.isCurrent && (
                  <Button
                    look="small danger outline"
                    label={`Revoke the key that ends in ${key.hint}`}
                    onClick={() => open(<RevokeKey id={key.id} label={labelOf(key)} onDone={onChanged} />)}
                  >
                    Revoke
                  </Button>
                )}
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}
