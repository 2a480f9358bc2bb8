import { useEffect, useState } from 'preact/hooks';
import {
  ReplayDeliveryDocument,
  TestWebhookDocument,
  WebhookDeliveriesDocument,
  WebhookDeliveryDocument,
} from '../../../generated/dashboard.ts';
import type { WebhookDeliveriesQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Badge, CellNote, Empty, ErrorNotice, Loaded, StateBadge } from './feedback.tsx';
import { Button, Table } from './layout.tsx';
import type { Column } from './layout.tsx';

const ATTEMPTS_MS = 3_000;

function WebhookDelivery({ id }: { id: string }) {
  const query = useQuery(WebhookDeliveryDocument, { id });
  usePolling(query, ATTEMPTS_MS);
  return (
    <Loaded query={query}>
      {({ delivery }) => {
        if (delivery === null) return <Empty title="This delivery was forgotten" />;
        const { state, tries, dueAt, payload } = delivery;
        return (
          <>
            {state === 'queued' && (
              <p class="notice" role="status">
                {tries.length === 0 ? 'It leaves now.' : `Next try: ${formatMoment(dueAt)}`}
              </p>
            )}
            <h3>Tries</h3>
            {tries.length === 0 ? (
              <Empty title="No try yet" />
            ) : (
              <Table
                caption="Tries, oldest first"
                rows={tries}
                keyOf={({ at, tookMs }) => `${at} ${tookMs}`}
                columns={[
                  { label: 'When', cell: ({ at }) => formatMoment(at) },
                  {
                    label: 'Answer',
                    cell: ({ status, error }) => (
                      <>
                        <Badge tone={error === null ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>
                        {error && status === null && <CellNote>{error}</CellNote>}
                      </>
                    ),
                  },
                  { label: 'Took', number: ({ tookMs }) => `${formatNumber(tookMs)} ms` },
                ]}
              />
            )}
            <h3>Payload</h3>
            <pre class="preview-text payload" tabIndex={0} aria-label="Payload">
              {JSON.stringify(payload, null, 2)}
            </pre>
          </>
        );
      }}
    </Loaded>
  );
}

const REFRESH_MS = 5_000;

type Delivery = Answered<WebhookDeliveriesQuery>['deliveries']['edges'][number]['node'];

const COLUMNS: Column<Delivery>[] = [
  {
    label: 'Event',
    cell: ({ type, cts, isTest }) => (
      <>
        <span class="code">{type}</span> {isTest && <Badge>test</Badge>}
        <CellNote>{formatMoment(cts)}</CellNote>
      </>
    ),
  },
  {
    label: 'State',
    cell: ({ state, error, attempts, dueAt }) => (
      <>
        <StateBadge state={state} />
        {error && <CellNote>{error}</CellNote>}
        {state === 'queued' && attempts > 0 && <CellNote>next try {formatMoment(dueAt)}</CellNote>}
      </>
    ),
  },
];

type Props = { webhook: { id: string; url: string }; onClosed: () => void };

export function WebhookDeliveries({ webhook, onClosed }: Props) {
  const { run, notify } = useSession();
  const deliveries = useQuery(WebhookDeliveriesDocument, { webhookId: webhook.id });
  const [opened, setOpened] = useState<string | null>(null);
  usePolling(deliveries, REFRESH_MS);
  // The webhook's health may have changed in the meantime.
  useEffect(() => onClosed, []);
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
  const actions = ({ id, type, state }: Delivery) => (
    <>
      <Button label={`Details of ${type}`} onClick={() => setOpened(id)}>
        Details
      </Button>
      {state !== 'queued' && (
        <Button label={`Replay ${type}`} disabled={replay.isBusy} onClick={() => replay.start(id)}>
          Replay
        </Button>
      )}
    </>
  );
  const list = (
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
              columns={[...COLUMNS, { label: 'Manage', actions }]}
            />
          )
        }
      </Loaded>
      <footer class="buttons">
        <Button look="" isBusy={test.isBusy} onClick={test.start}>
          Send a test event
        </Button>
      </footer>
    </>
  );
  return (
    <Dialog title={opened ? 'Delivery' : 'Deliveries'} isWide>
      <p>
        <span class="code">{webhook.url}</span>
      </p>
      <ErrorNotice error={replay.error ?? test.error} />
      {opened === null ? (
        list
      ) : (
        <>
          <WebhookDelivery key={opened} id={opened} />
          <footer class="buttons">
            <Button look="secondary outline" onClick={() => setOpened(null)}>
              All deliveries
            </Button>
            <Button look="" disabled={replay.isBusy} onClick={() => replay.start(opened)}>
              Send it again
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
