import * as gql from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useSession } from '../session.ts';
import { SecretDialog } from './dialog.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Badge, Button, Card, Table } from './layout.tsx';

type Key = gql.StoreSettingsFragment['apiKeys'][number];

export function ApiKeys({ keys, onChanged }: { keys: Key[]; onChanged: () => void }) {
  const { run } = useSession();
  const create = async (name: string) => {
    const { createApiKey } = await run(gql.CreateApiKeyDocument, { name });
    onChanged();
    return <SecretDialog title="New API key" label="API key" secret={createApiKey.apiKey} />;
  };
  const rename = async ({ id, hint }: Key, name: string) => {
    await run(gql.RenameApiKeyDocument, { id, name });
    onChanged();
    return `The key …${hint} has its new name.`;
  };
  const nameForm = (renamed?: Key) => (
    <FormDialog
      title={renamed ? `Rename the key …${renamed.hint}` : 'Create API key'}
      label={renamed ? 'Save name' : 'Create'}
      field={{
        label: 'Name',
        maxLength: 60,
        initial: renamed?.name,
        placeholder: 'Shop back end',
        hint: 'What it is for, so that you know later which one to revoke.',
      }}
      onSubmit={(name) => (renamed ? rename(renamed, name) : create(name))}
    />
  );
  const revoke = ({ id, name, hint }: Key) => {
    const label = name ? `${name} (…${hint})` : `…${hint}`;
    const submit = async () => {
      await run(gql.RevokeApiKeyDocument, { id });
      onChanged();
      return `The key ${label} is revoked.`;
    };
    return (
      <Confirm title="Revoke this key?" label="Revoke" onSubmit={submit}>
        Every call with the key <span class="code">{label}</span> is refused from now on. It cannot be undone.
      </Confirm>
    );
  };
  return (
    <Card
      title="API keys"
      note="To rotate: create a new one, put it in your shop's back end, then revoke the old one. Revoking also ends the dashboards that signed in with it."
      aside={<Button text="Create key" look="small" opens={nameForm()} />}
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
                  text="Rename"
                  label={`Rename the key that ends in ${key.hint}`}
                  opens={nameForm(key)}
                />
                {!key.isCurrent && (
                  <Button
                    text="Revoke"
                    look="small danger outline"
                    label={`Revoke the key that ends in ${key.hint}`}
                    opens={revoke(key)}
                  />
                )}
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}
