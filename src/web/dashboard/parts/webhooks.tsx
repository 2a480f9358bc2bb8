import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment } from '../format.ts';
import { useAction, useDialog, useQuery, useSession, useText } from '../session.ts';
import { find, rich, t } from '../text.ts';
import type { TextKey } from '../text.ts';
import { SecretDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Badge, Button, CellNote, ErrorNotice } from './layout.tsx';
import type { ButtonProps } from './layout.tsx';
import { TableCard } from './table-card.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

type Webhook = Answered<gql.WebhooksQuery>['webhooks'][number];
type FormProps = { types: readonly string[]; webhook?: Webhook };

/** The secret of a new webhook is shown only once. */
function WebhookForm({ types, webhook }: FormProps) {
  const { run } = useSession();
  const [events, setEvents] = useState(webhook?.events ?? ['alert.failed', 'product.restocked']);
  const url = useText(webhook?.url);
  const save = async () => {
    const input = { id: webhook?.id ?? null, url: url.value.trim(), events };
    const { secret } = (await run(gql.SaveWebhookDocument, input)).saveWebhook;
    if (!secret) return t('webhook.saved');
    return (
      <SecretDialog title={t('webhook.added')} secrets={[{ label: t('webhook.secret'), value: secret }]} />
    );
  };
  const toggle = (event: string, isOn: boolean): void =>
    setEvents(types.filter((name) => (name === event ? isOn : events.includes(name))));
  return (
    <FormDialog
      title={t(webhook ? 'webhook.editTitle' : 'webhook.add')}
      label={t(webhook ? 'webhook.save' : 'webhook.addNow')}
      isBlocked={events.length === 0}
      onSubmit={save}
    >
      <TextField
        label={t('webhook.url')}
        name="url"
        type="url"
        required
        {...url}
        placeholder="https://shop.example/hooks/wishgate"
        autocomplete="off"
      />
      <fieldset>
        <legend>{t('webhook.events')}</legend>
        {types.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.currentTarget.checked)}
            />
            {find(`event.${event}`) ?? event} <span class="code muted">{event}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function Health({ health: { lastSuccessAt, failuresInARow, lastError } }: Webhook) {
  const isBad = failuresInARow > 0;
  if (!isBad && lastSuccessAt === null) return <Badge>{t('webhook.untried')}</Badge>;
  return (
    <>
      <Badge tone={isBad ? 'bad' : 'good'}>
        {isBad ? t('webhook.failing', { count: failuresInARow }) : t('webhook.healthy')}
      </Badge>
      {isBad && <CellNote>{lastError}</CellNote>}
      <CellNote>
        {lastSuccessAt === null
          ? t('webhook.neverAccepted')
          : t('webhook.accepted', { time: formatMoment(lastSuccessAt) })}
      </CellNote>
    </>
  );
}

export function Webhooks() {
  const { run, isDemo } = useSession();
  const { open } = useDialog();
  const webhooks = useQuery(gql.WebhooksDocument, {});
  const { data } = webhooks;
  const form = (webhook?: Webhook) => <WebhookForm types={data!.webhookEvents} webhook={webhook} />;
  const remove = async (id: string) => {
    await run(gql.DeleteWebhookDocument, { id });
    return t('webhook.deleted');
  };
  const test = useAction(async ({ id, url }: Webhook) => {
    const { testWebhook } = await run(gql.TestWebhookDocument, { id });
    open(<WebhookDeliveries id={id} url={url} shown={testWebhook.id} />);
    return t('webhook.testSent');
  });
  const actions = (webhook: Webhook) => {
    const { id, url } = webhook;
    const ask = (
      <Confirm title={t('webhook.deleteTitle')} label={t('webhook.delete')} onSubmit={() => remove(id)}>
        {rich('webhook.deleteText', { url: <span class="code">{url}</span> })}
      </Confirm>
    );
    const button = (key: TextKey, props: Omit<ButtonProps, 'text'>) => (
      <Button text={t(key)} label={`${t(key)}: ${url}`} {...props} />
    );
    return (
      <>
        {button('webhook.test', { disabled: test.isBusy, onClick: () => test.start(webhook) })}
        {button('webhook.deliveries', { opens: <WebhookDeliveries id={id} url={url} /> })}
        {button('webhook.edit', { opens: form(webhook) })}
        {button('webhook.delete', { look: 'small danger outline', opens: ask })}
      </>
    );
  };
  return (
    <>
      <ErrorNotice error={test.error} />
      <TableCard
        title={t('webhook.title')}
        note={t('webhook.note')}
        aside={!isDemo && data && <Button text={t('webhook.add')} look="small" opens={form()} />}
        kind="webhook-table"
        query={webhooks}
        rowsOf={(found) => (isDemo ? [] : found.webhooks)}
        keyOf={({ id }) => id}
        columns={[
          { label: 'webhook.url', cell: ({ url }) => <span class="code">{url}</span> },
          {
            label: 'webhook.events',
            cell: ({ events }) => (
              <span class="badges">
                {events.map((event) => (
                  <Badge key={event}>{find(`event.${event}`) ?? event}</Badge>
                ))}
              </span>
            ),
          },
          { label: 'webhook.health', cell: (webhook) => <Health {...webhook} /> },
          { label: 'webhook.manage', actions },
        ]}
        empty={isDemo ? ['webhook.demo', 'webhook.demoText'] : ['webhook.none', 'webhook.noneText']}
      />
    </>
  );
}
