import { useState } from 'preact/hooks';
import {
  ReplayDeliveryDocument,
  TestWebhookDocument,
  WebhookDeliveriesDocument,
} from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Badge, Empty, Failure, Loaded, StateBadge } from './feedback.tsx';
import { Table } from './layout.tsx';
import { WebhookDelivery } from './webhook-delivery.tsx';

const REFRESH_MS = 5_000;

/** What a webhook was told lately; each can be looked at and sent again under its old id, and a test can be sent. */
export function WebhookDeliveries({
  webhook,
  onClose,
}: {
  webhook: { id: string; url: string };
  onClose: () => void;
}) {
  const { run, notify } = useSession();
  const deliveries = useQuery(WebhookDeliveriesDocument, { webhookId: webhook.id });
  const [opened, setOpened] = useState<string | null>(null);
  usePolling(deliveries, REFRESH_MS);
  const replay = useAction(async (id: string) => {
    await run(ReplayDeliveryDocument, { id });
    deliveries.reload();
  });
  const test = useAction(async () => {
    const { testWebhook } = await run(TestWebhookDocument, { id: webhook.id });
    notify('A test event is on its way.');
    setOpened(testWebhook.id);
    deliveries.reload();
  });
  return (
    <Dialog title={opened ? 'Delivery' : 'Deliveries'} onClose={onClose} isWide>
      <p>
        <span class="code">{webhook.url}</span>
      </p>
      <Failure error={replay.error ?? test.error} />
      {opened && (
        <>
          <WebhookDelivery key={opened} id={opened} />
          <footer class="buttons">
            <button type="button" class="secondary outline" onClick={() => setOpened(null)}>
              All deliveries
            </button>
            <button type="button" disabled={replay.isBusy} onClick={() => void replay.start(opened)}>
              Send it again
            </button>
          </footer>
        </>
      )}
      {!opened && (
        <>
          <Loaded query={deliveries}>
            {({ deliveries: { edges } }) =>
              edges.length === 0 ? (
                <Empty title="Nothing was sent yet">A test event shows whether it arrives.</Empty>
              ) : (
                <Table
                  caption="Deliveries, newest first"
                  rows={edges.map(({ node }) => node)}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      label: 'Event',
                      cell: ({ type, cts, isTest }) => (
                        <>
                          <span class="code">{type}</span> {isTest && <Badge>test</Badge>}
                          <span class="muted cell-note">{formatMoment(cts)}</span>
                        </>
                      ),
                    },
                    {
                      label: 'State',
                      cell: ({ state, error, attempts, dueAt }) => (
                        <>
                          <StateBadge state={state} />
                          {error && <span class="muted cell-note">{error}</span>}
                          {state === 'queued' && attempts > 0 && (
                            <span class="muted cell-note">next try {formatMoment(dueAt)}</span>
                          )}
                        </>
                      ),
                    },
                    {
                      label: 'Manage',
                      isAction: true,
                      cell: ({ id, type, state }) => (
                        <>
                          <button
                            type="button"
                            class="small secondary outline"
                            aria-label={`Details of ${type}`}
                            onClick={() => setOpened(id)}
                          >
                            Details
                          </button>
                          {state !== 'queued' && (
                            <button
                              type="button"
                              class="small secondary outline"
                              disabled={replay.isBusy}
                              aria-label={`Replay ${type}`}
                              onClick={() => void replay.start(id)}
                            >
                              Replay
                            </button>
                          )}
                        </>
                      ),
                    },
                  ]}
                />
              )
            }
          </Loaded>
          <footer class="buttons">
            <button
              type="button"
              disabled={test.isBusy}
              aria-busy={test.isBusy}
              onClick={() => void test.start()}
            >
              Send a test event
            </button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
