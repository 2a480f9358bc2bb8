import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { CopyField } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { ActionForm, Confirm } from '../parts/form.tsx';
import { Badge, Button, Card, Flag, Loaded, Page } from '../parts/layout.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { Webhooks } from '../parts/webhooks.tsx';
import { useAction, useQuery, useSession, useText } from '../session.ts';
import type { Query } from '../session.ts';
import { channelName, find, rich, t } from '../text.ts';

const SHOPIFY_TOPICS = 'products/create, products/update, products/delete, inventory_levels/update';

/** The secret with which Shopify signs its webhooks can be set and removed, but never read. */
function Shopify({ query }: { query: Query<Answered<gql.IntegrationsQuery>> }) {
  const { run } = useSession();
  const secret = useText();
  const save = async (value: string | null) => {
    const { setShopifySecret } = await run(gql.SetShopifySecretDocument, { secret: value });
    secret.onValue('');
    return t(setShopifySecret.connected ? 'integrations.connected' : 'integrations.disconnected');
  };
  const connect = useAction(() => save(secret.value.trim()));
  const disconnect = (
    <Confirm
      title={t('integrations.disconnectTitle')}
      label={t('integrations.disconnect')}
      onSubmit={() => save(null)}
    >
      {t('integrations.disconnectText')}
    </Confirm>
  );
  const isConnected = query.data?.store.shopify.connected;
  return (
    <Card
      title={t('integrations.shopify')}
      note={t('integrations.shopifyNote')}
      aside={
        isConnected !== undefined && (
          <Flag isOn={isConnected} texts={['integrations.isConnected', 'integrations.isNotConnected']} />
        )
      }
    >
      <Loaded query={query} lines={2}>
        {({ store }) => (
          <ol class="steps">
            <li>
              {rich('integrations.step1', {
                topics: <span class="code">{SHOPIFY_TOPICS}</span>,
                orders: <span class="code">orders/create</span>,
              })}
              <CopyField label={t('integrations.url')} value={store.shopify.url} />
            </li>
            <li>{t('integrations.step2')}</li>
          </ol>
        )}
      </Loaded>
      <ActionForm
        action={connect}
        label={t(isConnected ? 'integrations.replace' : 'integrations.connect')}
        tone="secondary"
        after={
          isConnected && (
            <Button text={t('integrations.disconnectMore')} look="danger outline" opens={disconnect} />
          )
        }
      >
        <TextField
          label={t(isConnected ? 'integrations.newSecret' : 'integrations.secret')}
          name="secret"
          type="password"
          autocomplete="off"
          required
          {...secret}
          hint={t('integrations.secretHint')}
        />
      </ActionForm>
    </Card>
  );
}

type Integration = Answered<gql.IntegrationsQuery>['integrations'][number];

/** Only operators see what the service says of its providers: it names their variables and servers. */
function detailOf({ name, kind, state, detail }: Integration, isOperator: boolean): string {
  if (isOperator) return detail;
  if (state === 'unconfigured') return t('integrations.askOperator', { channel: channelName(kind) });
  return find(`provider.${name}.${state}`) ?? t('integrations.byOperator');
}

export function IntegrationsPage() {
  const isOperator = useSession().operator !== null;
  const query = useQuery(gql.IntegrationsDocument, {});
  return (
    <Page title={t('page.integrations')}>
      <TableCard
        title={t('integrations.providers')}
        note={t('integrations.providersNote')}
        query={query}
        rowsOf={(data) => data.integrations}
        keyOf={({ name, kind }) => `${name} ${kind}`}
        columns={[
          { label: 'integrations.provider', cell: ({ name }) => find(`provider.${name}`) ?? name },
          { label: 'integrations.for', cell: ({ kind }) => channelName(kind) },
          {
            label: 'table.state',
            cell: ({ state }) => (
              <Badge tone={state === 'active' ? 'good' : 'plain'}>{t(`integrations.${state}`)}</Badge>
            ),
          },
          { label: 'table.details', cell: (row) => <span class="wrap">{detailOf(row, isOperator)}</span> },
        ]}
      />
      <Webhooks />
      <Shopify query={query} />
    </Page>
  );
}
