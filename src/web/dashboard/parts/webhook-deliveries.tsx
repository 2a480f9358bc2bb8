import { useEffect, useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Badge, Button, CellNote, Empty, ErrorNotice, Loaded, StateBadge, Table } from './layout.tsx';
import type { Column } from './layout.tsx';
import { TextPreview } from './template-preview.tsx';

const ATTEMPTS_MS = 3_000;

function WebhookDelivery({ id }: { id: string }) {
  const query = useQuery(gql.WebhookDeliveryDocument, { id });
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
              empty="No try yet"
            />
            <h3>Payload</h3>
            <TextPreview label="Payload" text={JSON.stringify(payload, null, 2)} look="payload" />
          </>
        );
      }}
    </Loaded>
  );
}

const REFRESH_MS = 5_000;

type Delivery = Answered<gql.WebhookDeliveriesQuery>['deliveries']['edges'][number]['node'];

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

type Props = { id: string; url: string; onClosed: () => void };

export function WebhookDeliveries({ id: webhookId, url, onClosed }: Props) {
  const { run } = useSession();
  const deliveries = useQuery(gql.WebhookDeliveriesDocument, { webhookId });
  const [opened, setOpened] = useState<string | null>(null);
  usePolling(deliveries, REFRESH_MS);
  // The webhook's health may have changed in the meantime.
  useEffect(() => onClosed, []);
  const replay = useAction(async (id: string) => {
    await run(gql.ReplayDeliveryDocument, { id });
    deliveries.reload();
  });
  const test = useAction(async () => {
    const { testWebhook } = await run(gql.TestWebhookDocument, { id: webhookId });
    setOpened(testWebhook.id);
    deliveries.reload();
    return 'A test event is on its way.';
  });
  const again = (id: string, look: { text: string; look?: string; label?: string }) => (
    <Button {...look} disabled={replay.isBusy} onClick={() => replay.start(id)} />
  );
  const actions = ({ id, type, state }: Delivery) => (
    <>
      <Button text="Details" label={`Details of ${type}`} onClick={() => setOpened(id)} />
      {state !== 'queued' && again(id, { text: 'Replay', label: `Replay ${type}` })}
    </>
  );
  return (
    <Dialog title={opened ? 'Delivery' : 'Deliveries'} isWide>
      <p>
        <span class="code">{url}</span>
      </p>
      <ErrorNotice error={replay.error ?? test.error} />
      {opened === null ? (
        <Loaded query={deliveries}>
          {({ deliveries: { edges } }) => (
            <Table
              caption="Deliveries, newest first"
              rows={edges.map(({ node }) => node)}
              keyOf={({ id }) => id}
              columns={[...COLUMNS, { label: 'Manage', actions }]}
              empty="Nothing was sent yet"
              emptyText="A test event shows whether it arrives."
            />
          )}
        </Loaded>
      ) : (
        <WebhookDelivery key={opened} id={opened} />
      )}
      <footer class="buttons">
        {opened === null ? (
          <Button text="Send a test event" look="" isBusy={test.isBusy} onClick={test.start} />
        ) : (
          <>
            <Button text="All deliveries" look="secondary outline" onClick={() => setOpened(null)} />
            {again(opened, { text: 'Send it again', look: '' })}
          </>
        )}
      </footer>
    </Dialog>
  );
}
