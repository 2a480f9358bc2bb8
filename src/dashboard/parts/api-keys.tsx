import { useState } from 'preact/hooks';
import { CreateApiKeyDocument, RevokeApiKeyDocument } from '../../generated/dashboard.ts';
import type { StoreSettingsFragment } from '../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useAction, useSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';
import { Badge, Failure } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import { SecretOnce } from './secret.tsx';

type Key = StoreSettingsFragment['apiKeys'][number];

/** The keys that open the store: add one, end one. */
export function ApiKeys({ keys, onChanged }: { keys: Key[]; onChanged: () => void }) {
  const { run, notify } = useSession();
  const [fresh, setFresh] = useState<string | null>(null);
  const [ending, setEnding] = useState<Key | null>(null);
  const create = useAction(async () => {
    const { createApiKey } = await run(CreateApiKeyDocument, {});
    setFresh(createApiKey.apiKey);
    onChanged();
  });
  return (
    <Card
      title="API keys"
      note="To rotate: create a new one, put it in your shop's back end, then revoke the old one."
      aside={
        <button type="button" class="small" disabled={create.isBusy} onClick={() => void create.start()}>
          Create key
        </button>
      }
    >
      <Failure error={create.error} />
      <Table
        caption="API keys"
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            label: 'Key',
            cell: ({ hint, isCurrent }) => (
              <>
                <span class="code">…{hint}</span> {isCurrent && <Badge tone="good">this session</Badge>}
              </>
            ),
          },
          { label: 'Created', cell: ({ cts }) => formatMoment(cts) },
          {
            label: 'Revoke',
            isAction: true,
            cell: (key) =>
              !key.isCurrent && (
                <button
                  type="button"
                  class="small danger outline"
                  aria-label={`Revoke the key that ends in ${key.hint}`}
                  onClick={() => setEnding(key)}
                >
                  Revoke
                </button>
              ),
          },
        ]}
      />
      {fresh !== null && (
        <Dialog title="New API key" onClose={() => setFresh(null)}>
          <SecretOnce label="API key" secret={fresh} />
          <footer class="buttons">
            <button type="button" onClick={() => setFresh(null)}>
              Done
            </button>
          </footer>
        </Dialog>
      )}
      {ending && (
        <Confirm
          title="Revoke this key?"
          action="Revoke"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await run(RevokeApiKeyDocument, { id: ending.id });
            notify(`The key …${ending.hint} is revoked.`);
            setEnding(null);
            onChanged();
          }}
        >
          Every call with the key <span class="code">…{ending.hint}</span> is refused from now on. It cannot
          be undone.
        </Confirm>
      )}
    </Card>
  );
}
