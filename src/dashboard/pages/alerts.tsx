import { useState } from 'preact/hooks';
import { AlertsDocument, RetryAlertsDocument } from '../../generated/dashboard.ts';
import type { AlertsQuery, MessageState } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { Empty, Failure, Loaded, StateBadge } from '../parts/feedback.tsx';
import { Segments } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { Pager, useTrail } from '../parts/pager.tsx';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';

type Alert = Answered<AlertsQuery>['alerts']['edges'][number]['node'];

const STATES = [
  { value: '', label: 'All' },
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
  { value: 'withheld', label: 'Withheld' },
];
const REFRESH_MS = 5_000;

function State({ alert: { state, attempts, error, dueAt } }: { alert: Alert }) {
  const isWaiting = state === 'queued' && attempts > 0;
  return (
    <>
      <StateBadge state={state}>{isWaiting ? 'will be retried' : state}</StateBadge>
      {(error || isWaiting) && (
        <span class="muted cell-note">
          {[error, isWaiting && `next try ${formatMoment(dueAt)}`].filter(Boolean).join(' · ')}
        </span>
      )}
    </>
  );
}

function AlertTable({
  alerts,
  isBusy,
  onRetry,
}: {
  alerts: Alert[];
  isBusy: boolean;
  onRetry: (alert: Alert) => void;
}) {
  return (
    <Table
      caption="Alerts, newest first"
      rows={alerts}
      keyOf={({ id }) => id}
      columns={[
        { label: 'To', cell: ({ value }) => <span class="wrap">{value}</span> },
        { label: 'Topic', cell: ({ topic }) => topic },
        { label: 'Variant', cell: ({ epi }) => String(epi) },
        { label: 'State', cell: (alert) => <State alert={alert} /> },
        { label: 'Tries', isNumber: true, cell: ({ attempts }) => formatNumber(attempts) },
        { label: 'Queued', cell: ({ cts }) => formatMoment(cts) },
        { label: 'Done', cell: ({ finishedAt }) => formatMoment(finishedAt) },
        {
          label: 'Retry',
          isAction: true,
          cell: (alert) =>
            alert.state === 'failed' && (
              <button
                type="button"
                class="small secondary outline"
                disabled={isBusy}
                aria-label={`Retry the alert to ${alert.value}`}
                onClick={() => onRetry(alert)}
              >
                Retry
              </button>
            ),
        },
      ]}
    />
  );
}

/** The queue: what waits, what went out, what failed and why; failures can be tried again. */
export function AlertsPage() {
  const { run, notify } = useSession();
  const [state, setState] = useState<MessageState | ''>('');
  const trail = useTrail(state);
  const alerts = useQuery(AlertsDocument, { state: state || null, after: trail.after });
  usePolling(alerts, REFRESH_MS);
  const retry = useAction(async (ids: string[] | null) => {
    const { retryAlerts } = await run(RetryAlertsDocument, { ids });
    notify(`${plural(retryAlerts, 'alert')} queued again.`);
    alerts.reload();
  });
  return (
    <>
      <PageHead
        title="Alerts"
        lead="Every message to a subscriber. The page follows the queue by itself."
        aside={
          <Segments
            label="State"
            value={state}
            options={STATES}
            onValue={(value) => setState(value as MessageState | '')}
          />
        }
      />
      <Card
        title="Queue"
        aside={
          <button
            type="button"
            class="small secondary outline"
            disabled={retry.isBusy || alerts.data?.failed.totalCount === 0}
            onClick={() => void retry.start(null)}
          >
            Retry all failed{alerts.data ? ` (${formatNumber(alerts.data.failed.totalCount)})` : ''}
          </button>
        }
      >
        <Failure error={retry.error} />
        <Loaded query={alerts} lines={6}>
          {({ alerts: { edges, pageInfo } }) => (
            <>
              {edges.length === 0 ? (
                <Empty title={state ? `No alert is ${state}` : 'No alerts yet'}>
                  They are queued when a product comes back that somebody waits for.
                </Empty>
              ) : (
                <AlertTable
                  alerts={edges.map(({ node }) => node)}
                  isBusy={retry.isBusy}
                  onRetry={({ id }) => void retry.start([id])}
                />
              )}
              <Pager trail={trail} pageInfo={pageInfo} isStale={alerts.isStale} labels={['Newer', 'Older']} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
