import { WebhookDeliveryDocument } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { usePolling, useQuery } from '../session.ts';
import { Badge, CellNote, Empty, Loaded } from './feedback.tsx';
import { Table } from './layout.tsx';

const REFRESH_MS = 3_000;

/** One delivery: what was sent, each attempt with its response, and when the next one comes. */
export function WebhookDelivery({ id }: { id: string }) {
  const query = useQuery(WebhookDeliveryDocument, { id });
  usePolling(query, REFRESH_MS);
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
