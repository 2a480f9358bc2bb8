import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment } from '../format.ts';
import { eventName } from '../names.ts';
import { useAction, useDialog, useQuery, useSession, useText } from '../session.ts';
import { rich, t } from '../text.ts';
import { SecretDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Badge, Button, CellNote, ErrorNotice } from './layout.tsx';
import { TableCard } from './table-card.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

type Webhook = Answered<gql.WebhooksQuery>['webhooks'][number];
type FormProps = { types: readonly string[]; webhook?: Webhook; onSaved: () => void };

/** The secret of a new webhook is shown only once. */
function WebhookForm({ types, webhook, onSaved }: FormProps) {
  const { run } = useSession();
  const [events, setEvents] = useState(webhook?.events ?? ['alert.failed', 'product.restocked']);
  const url = useText(webhook?.url);
  const save = async () => {
    const input = { id: webhook?.id ?? null, url: url.value.trim(), events };
    const { secret } = (await run(gql.SaveWebhookDocument, input)).saveWebhook;
    onSaved();
    if (secret)
      return <SecretDialog title={t('webhooks.added')} label={t('integrations.secret')} secret={secret} />;
    return t('webhooks.saved');
  };
  const toggle = (event: string, isOn: boolean): void =>
    setEvents(types.filter((name) => (name === event ? isOn : events.includes(name))));
  return (
    <FormDialog
      title={t(webhook ? 'webhooks.edit' : 'webhooks.add')}
      label={t(webhook ? 'common.save' : 'common.add')}
      isBlocked={events.length === 0}
      onSubmit={save}
    >
      <TextField
        label={t('webhooks.url')}
        name="url"
        type="url"
        required
        {...url}
        placeholder="https://shop.example/hooks/wishgate"
        autocomplete="off"
      />
      <fieldset>
        <legend>{t('webhooks.events')}</legend>
        {types.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.currentTarget.checked)}
            />
            {eventName(event)} <span class="code muted">{event}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function Health({ health: { lastSuccessAt, failuresInARow, lastError } }: Webhook) {
  const isBad = failuresInARow > 0;
  if (!isBad && lastSuccessAt === null) return <Badge>{t('webhooks.unused')}</Badge>;
  return (
    <>
      <Badge tone={isBad ? 'bad' : 'good'}>
        {isBad ? t('webhooks.errors', { count: failuresInARow }) : t('webhooks.healthy')}
      </Badge>
      {isBad && lastError && <CellNote>{t('alerts.reason', { error: lastError })}</CellNote>}
      <CellNote>
        {lastSuccessAt === null
          ? t('webhooks.noneAccepted')
          : t('webhooks.lastAccepted', { date: formatMoment(lastSuccessAt) })}
      </CellNote>
    </>
  );
}

export function Webhooks() {
  const { run } = useSession();
  const { open } = useDialog();
  const webhooks = useQuery(gql.WebhooksDocument, {});
  const { data, reload } = webhooks;
  const isDemo = data?.store.isDemo;
  const form = (webhook?: Webhook) => (
    <WebhookForm types={data!.webhookEvents} webhook={webhook} onSaved={reload} />
  );
  const remove = async (id: string) => {
    await run(gql.DeleteWebhookDocument, { id });
    reload();
    return t('webhooks.deleted');
  };
  const test = useAction(async ({ id, url }: Webhook) => {
    const { testWebhook } = await run(gql.TestWebhookDocument, { id });
    open(<WebhookDeliveries id={id} url={url} shown={testWebhook.id} onClosed={reload} />);
    return t('delivery.testSent');
  });
  const actions = (webhook: Webhook) => {
    const { id, url } = webhook;
    const ask = (
      <Confirm title={t('webhooks.deleteTitle')} label={t('common.delete')} onSubmit={() => remove(id)}>
        {rich('webhooks.deleteText', { url: <span class="code">{url}</span> })}
      </Confirm>
    );
    return (
      <>
        <Button
          text={t('delivery.sendTest')}
          label={t('webhooks.testLabel', { url })}
          disabled={test.isBusy}
          onClick={() => test.start(webhook)}
        />
        <Button
          text={t('webhooks.deliveries')}
          label={t('webhooks.deliveriesLabel', { url })}
          opens={<WebhookDeliveries id={id} url={url} onClosed={reload} />}
        />
        <Button text={t('common.edit')} label={t('webhooks.editLabel', { url })} opens={form(webhook)} />
        <Button
          text={t('common.delete')}
          look="small danger outline"
          label={t('webhooks.deleteLabel', { url })}
          opens={ask}
        />
      </>
    );
  };
  return (
    <>
      <ErrorNotice error={test.error} />
      <TableCard
        title={t('webhooks.title')}
        note={t('webhooks.note')}
        aside={isDemo === false && <Button text={t('webhooks.add')} look="small" opens={form()} />}
        kind="webhook-table"
        query={webhooks}
        rowsOf={(found) => (found.store.isDemo ? [] : found.webhooks)}
        keyOf={({ id }) => id}
        columns={[
          { label: t('webhooks.url'), cell: ({ url }) => <span class="code">{url}</span> },
          {
            label: t('webhooks.events'),
            cell: ({ events }) => (
              <span class="badges">
                {events.map((event) => (
                  <Badge key={event}>{eventName(event)}</Badge>
                ))}
              </span>
            ),
          },
          { label: t('webhooks.health'), cell: (webhook) => <Health {...webhook} /> },
          { label: t('common.actions'), actions },
        ]}
        empty={t(isDemo ? 'webhooks.demo' : 'webhooks.none')}
        emptyText={t(isDemo ? 'webhooks.demoText' : 'webhooks.noneText')}
      />
    </>
  );
}
