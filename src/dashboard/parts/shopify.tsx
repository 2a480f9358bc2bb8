import { useState } from 'preact/hooks';
import { SetShopifySecretDocument } from '../../generated/dashboard.ts';
import { useAction, useSession } from '../session.ts';
import { Badge, Failure } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Card } from './layout.tsx';

/** Takes the secret that Shopify signs its webhooks with; it can be set and removed, never read. */
export function Shopify() {
  const { run, notify } = useSession();
  const [secret, setSecret] = useState('');
  const [connection, setConnection] = useState<{ connected: boolean; url: string } | null>(null);
  const set = useAction(async (value: string | null) => {
    const { setShopifySecret } = await run(SetShopifySecretDocument, { secret: value });
    setConnection(setShopifySecret);
    setSecret('');
    notify(setShopifySecret.connected ? 'Shopify is connected.' : 'Shopify is disconnected.');
  });
  return (
    <Card
      title="Shopify"
      note="Keeps catalogue and stock current by Shopify's own webhooks."
      aside={
        connection && (
          <Badge tone={connection.connected ? 'good' : 'plain'}>
            {connection.connected ? 'connected' : 'not connected'}
          </Badge>
        )
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void set.start(secret.trim());
        }}
      >
        <TextField
          label="Signing secret"
          type="password"
          autocomplete="off"
          required
          value={secret}
          onValue={setSecret}
          hint="Shopify shows it beside the webhooks. It is stored and never shown again."
        />
        <Failure error={set.error} />
        <div class="buttons">
          <button type="submit" class="secondary" disabled={set.isBusy} aria-busy={set.isBusy}>
            Connect
          </button>
          <button
            type="button"
            class="danger outline"
            disabled={set.isBusy}
            onClick={() => void set.start(null)}
          >
            Disconnect
          </button>
        </div>
      </form>
      {connection?.connected && (
        <p class="notice after">
          <span>
            Register this address in Shopify: <span class="code">{connection.url}</span>
          </span>
        </p>
      )}
    </Card>
  );
}
