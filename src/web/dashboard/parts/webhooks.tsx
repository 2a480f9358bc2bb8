import { useState } from 'preact/hooks';
import { DeleteWebhookDocument, WebhooksDocument } from '../../../generated/dashboard.ts';
import type { WebhooksQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, plural } from '../format.ts';
import { useQuery, useSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Badge, Empty, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Webhook = Answered<WebhooksQuery>['webhooks'][number];
type Opened = { what: 'add' } | { what: 'edit' | 'delete' | 'deliveries'; webhook: Webhook };

function Buttons({ webhook, open }: { webhook: Webhook; open: (opened: Opened) => void }) {
  const choices = [
    { what: 'deliveries', text: 'Deliveries', style: 'secondary outline' },
    { what: 'edit', text: 'Edit', style: 'secondary outline' },
    { what: 'delete', text: 'Delete', style: 'danger outline' },
  ] as const;
  return (
    <>
      {choices.map(({ what, text, style }) => (
        <button
          key={what}
          type="button"
          class={`small ${style}`}
          aria-label={`${text}: ${webhook.url}`}
          onClick={() => open({ what, webhook })}
        >
          {text}
        </button>
      ))}
    </>
  );
}

/** Whether events arrive, in words. */
function Health({ health }: Pick<Webhook, 'health'>) {
  const { lastSuccessAt, failuresInARow, lastError } = health;
  const last = lastSuccessAt === null ? 'nothing taken yet' : `last taken ${formatMoment(lastSuccessAt)}`;
  if (failuresInARow === 0)
    return (
      <>
        <Badge tone={lastSuccessAt === null ? 'plain' : 'good'}>
          {lastSuccessAt === null ? 'not tried yet' : 'healthy'}
        </Badge>
        {lastSuccessAt !== null && <span class="muted cell-note">{last}</span>}
      </>
    );
  return (
    <>
      <Badge tone="bad">{plural(failuresInARow, 'failure')} in a row</Badge>
      <span class="muted cell-note">{lastError}</span>
      <span class="muted cell-note">{last}</span>
    </>
  );
}

/** Addresses of the store's own that are told of events. */
export function Webhooks() {
  const { run, notify } = useSession();
  const webhooks = useQuery(WebhooksDocument, {});
  const [opened, setOpened] = useState<Opened | null>(null);
  const isDemo = webhooks.data?.store.isDemo;
  const close = (): void => {
    // Its health may have changed meanwhile.
    if (opened?.what === 'deliveries') webhooks.reload();
    setOpened(null);
  };
  return (
    <Card
      title="Webhooks"
      note="Your own systems hear of events; each call is signed and repeated until it is taken."
      aside={
        isDemo === false && (
          <button type="button" class="small" onClick={() => setOpened({ what: 'add' })}>
            Add webhook
          </button>
        )
      }
    >
      <Loaded query={webhooks}>
        {(data) =>
          data.store.isDemo ? (
            <Empty title="The demo store has no webhooks">
              What it sends never leaves this machine. A store of your own can have up to 20.
            </Empty>
          ) : data.webhooks.length === 0 ? (
            <Empty title="No webhooks yet">Add the address of a system that should know.</Empty>
          ) : (
            <div class="webhook-table">
              <Table
                caption="Webhooks"
                rows={data.webhooks}
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
                  {
                    label: 'Manage',
                    isAction: true,
                    cell: (webhook) => <Buttons webhook={webhook} open={setOpened} />,
                  },
                ]}
              />
            </div>
          )
        }
      </Loaded>
      {webhooks.data && (opened?.what === 'add' || opened?.what === 'edit') && (
        <WebhookForm
          types={webhooks.data.webhookEvents}
          webhook={opened.what === 'edit' ? opened.webhook : null}
          onClose={close}
          onSaved={webhooks.reload}
        />
      )}
      {opened?.what === 'deliveries' && <WebhookDeliveries webhook={opened.webhook} onClose={close} />}
      {opened?.what === 'delete' && (
        <Confirm
          title="Delete this webhook?"
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await run(DeleteWebhookDocument, { id: opened.webhook.id });
            notify('The webhook is deleted.');
            close();
            webhooks.reload();
          }}
        >
          <span class="code">{opened.webhook.url}</span> hears of nothing any more, and its signing secret is
          gone.
        </Confirm>
      )}
    </Card>
  );
}
