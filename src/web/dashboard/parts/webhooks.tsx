import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, plural } from '../format.ts';
import { useQuery, useSession, useText } from '../session.ts';
import { SecretDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Badge, Button, CellNote } from './layout.tsx';
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
    if (secret) return <SecretDialog title="The webhook is added" label="Signing secret" secret={secret} />;
    return 'The webhook is saved.';
  };
  const toggle = (event: string, isOn: boolean): void =>
    setEvents(types.filter((name) => (name === event ? isOn : events.includes(name))));
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'Add webhook'}
      label={webhook ? 'Save webhook' : 'Add'}
      isBlocked={events.length === 0}
      onSubmit={save}
    >
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        {...url}
        placeholder="https://shop.example/hooks/wishgate"
        autocomplete="off"
      />
      <fieldset>
        <legend>Events</legend>
        {types.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.currentTarget.checked)}
            />
            <span class="code">{event}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function Health({ health: { lastSuccessAt, failuresInARow, lastError } }: Webhook) {
  const isBad = failuresInARow > 0;
  if (!isBad && lastSuccessAt === null) return <Badge>not tried yet</Badge>;
  return (
    <>
      <Badge tone={isBad ? 'bad' : 'good'}>
        {isBad ? `${plural(failuresInARow, 'failure')} in a row` : 'healthy'}
      </Badge>
      {isBad && <CellNote>{lastError}</CellNote>}
      <CellNote>
        {lastSuccessAt === null ? 'nothing taken yet' : `last taken ${formatMoment(lastSuccessAt)}`}
      </CellNote>
    </>
  );
}

export function Webhooks() {
  const { run } = useSession();
  const webhooks = useQuery(gql.WebhooksDocument, {});
  const { data, reload } = webhooks;
  const isDemo = data?.store.isDemo;
  const form = (webhook?: Webhook) => (
    <WebhookForm types={data!.webhookEvents} webhook={webhook} onSaved={reload} />
  );
  const remove = async (id: string) => {
    await run(gql.DeleteWebhookDocument, { id });
    reload();
    return 'The webhook is deleted.';
  };
  const actions = (webhook: Webhook) => {
    const { id, url } = webhook;
    const ask = (
      <Confirm title="Delete this webhook?" label="Delete" onSubmit={() => remove(id)}>
        <span class="code">{url}</span> hears of nothing any more, and its signing secret is gone.
      </Confirm>
    );
    return (
      <>
        <Button
          text="Deliveries"
          label={`Deliveries: ${url}`}
          opens={<WebhookDeliveries id={id} url={url} onClosed={reload} />}
        />
        <Button text="Edit" label={`Edit: ${url}`} opens={form(webhook)} />
        <Button text="Delete" look="small danger outline" label={`Delete: ${url}`} opens={ask} />
      </>
    );
  };
  return (
    <TableCard
      title="Webhooks"
      note="Your own systems hear of events; each call is signed and repeated until it is taken."
      aside={isDemo === false && <Button text="Add webhook" look="small" opens={form()} />}
      kind="webhook-table"
      query={webhooks}
      rowsOf={(found) => (found.store.isDemo ? [] : found.webhooks)}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Address', cell: ({ url }) => <span class="code">{url}</span> },
        {
          label: 'Events',
          cell: ({ events }) => (
            <span class="badges">
              {events.map((event) => (
                <Badge key={event}>{event}</Badge>
              ))}
            </span>
          ),
        },
        { label: 'Health', cell: (webhook) => <Health {...webhook} /> },
        { label: 'Manage', actions },
      ]}
      empty={isDemo ? 'The demo store has no webhooks' : 'No webhooks yet'}
      emptyText={
        isDemo
          ? 'What it sends never leaves this machine. A store of your own can have up to 20.'
          : 'Add the address of a system that should know.'
      }
    />
  );
}
