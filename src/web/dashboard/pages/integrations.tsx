import * as gql from '../../../generated/dashboard.ts';
import { CopyField } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { ActionForm, Confirm } from '../parts/form.tsx';
import { Badge, Button, Card, Loaded, Page } from '../parts/layout.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { Webhooks } from '../parts/webhooks.tsx';
import { useAction, useQuery, useSession, useText } from '../session.ts';

/** The secret with which Shopify signs its webhooks can be set and removed, but never read. */
function Shopify() {
  const { run } = useSession();
  const shopify = useQuery(gql.ShopifyDocument, {});
  const secret = useText();
  const save = async (value: string | null) => {
    const { setShopifySecret } = await run(gql.SetShopifySecretDocument, { secret: value });
    shopify.replace({ store: { shopify: setShopifySecret } });
    secret.onValue('');
    return setShopifySecret.connected ? 'Shopify is connected.' : 'Shopify is disconnected.';
  };
  const connect = useAction(() => save(secret.value.trim()));
  const disconnect = (
    <Confirm title="Disconnect Shopify?" label="Disconnect" onSubmit={() => save(null)}>
      Its webhooks are refused from now on, and the signing secret is deleted: connecting again needs it from
      Shopify.
    </Confirm>
  );
  const isConnected = shopify.data?.store.shopify.connected;
  return (
    <Card
      title="Shopify"
      note="Keeps catalogue and stock current by Shopify's own webhooks."
      aside={
        isConnected !== undefined && (
          <Badge tone={isConnected ? 'good' : 'plain'}>{isConnected ? 'connected' : 'not connected'}</Badge>
        )
      }
    >
      <Loaded query={shopify} lines={2}>
        {({ store }) => (
          <ol class="steps">
            <li>
              In Shopify, open Settings → Notifications → Webhooks and register this address, in the format
              JSON, for <span class="code">products/create</span>, <span class="code">products/update</span>,{' '}
              <span class="code">products/delete</span>, <span class="code">inventory_levels/update</span>{' '}
              and, for revenue, <span class="code">orders/create</span>:
              <CopyField label="Address to register" value={store.shopify.url} />
            </li>
            <li>
              Shopify then shows the secret that it signs with, below its list of webhooks. Paste it here.
            </li>
          </ol>
        )}
      </Loaded>
      <ActionForm
        action={connect}
        label={isConnected ? 'Replace secret' : 'Connect'}
        tone="secondary"
        after={isConnected && <Button text="Disconnect…" look="danger outline" opens={disconnect} />}
      >
        <TextField
          label={isConnected ? 'New signing secret' : 'Signing secret'}
          name="secret"
          type="password"
          autocomplete="off"
          required
          {...secret}
          hint="It is stored and never shown again."
        />
      </ActionForm>
    </Card>
  );
}

const STATES: Record<string, string> = {
  active: 'in use',
  standby: 'not in use',
  unconfigured: 'not set up',
};

export function IntegrationsPage() {
  return (
    <Page title="Integrations">
      <TableCard
        title="Message providers"
        note="The operator of this service sets them up for all stores; a mail server of your own, under Settings, takes the place of theirs."
        query={useQuery(gql.IntegrationsDocument, {})}
        rowsOf={(data) => data.integrations}
        keyOf={({ name, kind }) => `${name} ${kind}`}
        columns={({ channels }) => [
          { label: 'Provider', cell: ({ name }) => name },
          {
            label: 'For',
            cell: ({ kind }) =>
              kind === 'file' ? 'Files' : (channels.find(({ medium }) => medium === kind)?.label ?? kind),
          },
          {
            label: 'State',
            cell: ({ state }) => (
              <Badge tone={state === 'active' ? 'good' : 'plain'}>{STATES[state] ?? state}</Badge>
            ),
          },
          { label: 'Detail', cell: ({ detail }) => <span class="wrap">{detail}</span> },
        ]}
      />
      <Webhooks />
      <Shopify />
    </Page>
  );
}
