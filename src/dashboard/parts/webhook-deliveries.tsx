import { ReplayDeliveryDocument, WebhookDeliveriesDocument } from '../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Empty, Failure, Loaded, StateBadge } from './feedback.tsx';
import { Table } from './layout.tsx';

const REFRESH_MS = 5_000;

/** What a webhook was told lately; each can be sent again under its old id. */
export function WebhookDeliveries({
  webhook,
  onClose,
}: {
  webhook: { id: string; url: string };
  onClose: () => void;
}) {
  const { run } = useSession();
  const deliveries = useQuery(WebhookDeliveriesDocument, { webhookId: webhook.id });
  usePolling(deliveries, REFRESH_MS);
  const replay = useAction(async (id: string) => {
    await run(ReplayDeliveryDocument, { id });
    deliveries.reload();
  });
  return (
    <Dialog title="Deliveries" onClose={onClose}>
      <p>
        <span class="code">{webhook.url}</span>
      </p>
      <Failure error={replay.error} />
      <Loaded query={deliveries}>
        {({ deliveries: { edges } }) =>
          edges.length === 0 ? (
            <Empty title="Nothing was sent yet" />
          ) : (
            <Table
              caption="Deliveries, newest first"
              rows={edges.map(({ node }) => node)}
              keyOf={({ id }) => id}
              columns={[
                {
                  label: 'Event',
                  cell: ({ type, cts }) => (
                    <>
                      <span class="code">{type}</span>
                      <span class="muted cell-note">{formatMoment(cts)}</span>
                    </>
                  ),
                },
                {
                  label: 'State',
                  cell: ({ state, error }) => (
                    <>
                      <StateBadge state={state} />
                      {error && <span class="muted cell-note">{error}</span>}
                    </>
                  ),
                },
                {
                  label: 'Replay',
                  isAction: true,
                  cell: ({ id, type, state }) =>
                    state !== 'queued' && (
                      <button
                        type="button"
                        class="small secondary outline"
                        disabled={replay.isBusy}
                        aria-label={`Replay ${type}`}
                        onClick={() => void replay.start(id)}
                      >
                        Replay
                      </button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}
