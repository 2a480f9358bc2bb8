import { useState } from 'preact/hooks';
import {
  DeleteWebhookDocument,
  SaveWebhookDocument,
  WebhooksDocument,
} from '../../../generated/dashboard.ts';
import type { WebhooksQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, plural } from '../format.ts';
import { useQuery, useSession, useText } from '../session.ts';
import { useDialog } from './dialog.tsx';
import { Badge, CellNote, Empty } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Confirm, FormDialog } from './form.tsx';
import { Button } from './layout.tsx';
import { SecretDialog } from './secret.tsx';
import { TableCard } from './table-card.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

type Props = {
  types: readonly string[];
  webhook?: { id: string; url: string; events: string[] };
  onSaved: () => void;
};

/** The secret of a new webhook is shown only once. */
function WebhookForm({ types, webhook, onSaved }: Props) {
  const { run, notify } = useSession();
  const url = useText(webhook?.url ?? '');
  const [events, setEvents] = useState(webhook?.events ?? ['alert.failed', 'product.restocked']);
  const save = async () => {
    const input = { id: webhook?.id ?? null, url: url.value.trim(), events };
    const { secret } = (await run(SaveWebhookDocument, input)).saveWebhook;
    onSaved();
    if (secret) return <SecretDialog title="The webhook is added" label="Signing secret" secret={secret} />;
    return notify('The webhook is saved.');
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

type Webhook = Answered<WebhooksQuery>['webhooks'][number];

function Health({ health: { lastSuccessAt, failuresInARow, lastError } }: Pick<Webhook, 'health'>) {
  const last = lastSuccessAt === null ? 'nothing taken yet' : `last taken ${formatMoment(lastSuccessAt)}`;
  if (failuresInARow > 0)
    return (
      <>
        <Badge tone="bad">{plural(failuresInARow, 'failure')} in a row</Badge>
        <CellNote>{lastError}</CellNote>
        <CellNote>{last}</CellNote>
      </>
    );
  if (lastSuccessAt === null) return <Badge>not tried yet</Badge>;
  return (
    <>
      <Badge tone="good">healthy</Badge>
      <CellNote>{last}</CellNote>
    </>
  );
}

function DeleteWebhook({ webhook: { id, url }, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { run, notify } = useSession();
  const remove = async (): Promise<void> => {
    await run(DeleteWebhookDocument, { id });
    notify('The webhook is deleted.');
    onDone();
  };
  return (
    <Confirm title="Delete this webhook?" label="Delete" onSubmit={remove}>
      <span class="code">{url}</span> hears of nothing any more, and its signing secret is gone.
    </Confirm>
  );
}

export function Webhooks() {
  const webhooks = useQuery(WebhooksDocument, {});
  const { open } = useDialog();
  const { data, reload } = webhooks;
  const edit = (webhook?: Webhook): void =>
    open(<WebhookForm types={data!.webhookEvents} webhook={webhook} onSaved={reload} />);
  const actions = (webhook: Webhook) => (
    <>
      <Button
        label={`Deliveries: ${webhook.url}`}
        onClick={() => open(<WebhookDeliveries webhook={webhook} onClosed={reload} />)}
      >
        Deliveries
      </Button>
      <Button label={`Edit: ${webhook.url}`} onClick={() => edit(webhook)}>
        Edit
      </Button>
      <Button
        look="small danger outline"
        label={`Delete: ${webhook.url}`}
        onClick={() => open(<DeleteWebhook webhook={webhook} onDone={reload} />)}
      >
        Delete
      </Button>
    </>
  );
  return (
    <TableCard
      title="Webhooks"
      note="Your own systems hear of events; each call is signed and repeated until it is taken."
      aside={
        data?.store.isDemo === false && (
          <Button look="small" onClick={() => edit()}>
            Add webhook
          </Button>
        )
      }
      caption="Webhooks"
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
        { label: 'Health', cell: ({ health }) => <Health health={health} /> },
        { label: 'Manage', actions },
      ]}
      empty={
        data?.store.isDemo ? (
          <Empty title="The demo store has no webhooks">
            What it sends never leaves this machine. A store of your own can have up to 20.
          </Empty>
        ) : (
          <Empty title="No webhooks yet">Add the address of a system that should know.</Empty>
        )
      }
    />
  );
}
