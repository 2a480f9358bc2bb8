import { useState } from 'preact/hooks';
import {
  AlertTotalsDocument,
  AlertsDocument,
  RetryAlertsDocument,
  TopicNamesDocument,
} from '../../../generated/dashboard.ts';
import type { AlertsQuery, MessageState } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { dayStart, formatMoment, formatNumber, formatShort, plural, zoneName } from '../format.ts';
import { AlertMessage } from '../parts/alert-message.tsx';
import { Browse, SearchBox, useFilters } from '../parts/browse.tsx';
import { Empty, Failure, StateBadge } from '../parts/feedback.tsx';
import { Choice, Segments, TextField } from '../parts/fields.tsx';
import { PageHead } from '../parts/layout.tsx';
import { useAddressTrail } from '../parts/pager.tsx';
import { ProductName } from '../parts/product.tsx';
import { hrefTo } from '../route.ts';
import { useAction, usePolling, useQuery, useSession } from '../session.ts';

type Alert = Answered<AlertsQuery>['alerts']['edges'][number]['node'];

const STATES = [
  { value: '', label: 'All' },
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
  { value: 'withheld', label: 'Withheld' },
] as const;
const REFRESH_MS = 5_000;
const TOTALS_MS = 30_000;

/** Where an alert stands, and what there is to say of it beyond that. */
function State({ alert: { state, attempts, error, dueAt } }: { alert: Alert }) {
  const isWaiting = state === 'queued' && attempts > 0;
  const notes = [
    attempts > 1 && plural(attempts, 'try', 'tries'),
    error,
    isWaiting && `next try ${formatMoment(dueAt)}`,
  ].filter(Boolean);
  return (
    <>
      <StateBadge state={state}>{isWaiting ? 'will be retried' : state}</StateBadge>
      {notes.length > 0 && (
        <span class="muted cell-note" title={notes.join(' · ')}>
          {notes.join(' · ')}
        </span>
      )}
    </>
  );
}

/** The filters of the address, and the same as variables. */
function useAlertFilters() {
  const [filters, change] = useFilters(['state', 'topic', 'from', 'to', 'q'], ['q']);
  const { topic, from, to, q } = filters;
  const state = STATES.some(({ value }) => value === filters.state) ? filters.state : '';
  const which = {
    topic: topic || null,
    from: dayStart(from),
    to: dayStart(to, 1),
    search: q || null,
  };
  return { filters: { ...filters, state }, which, change };
}

type Shown = ReturnType<typeof useAlertFilters>;

function Filters({ filters: { topic, from, to, q }, change }: Shown) {
  const topics = useQuery(TopicNamesDocument, {});
  const names = [...new Set([...(topics.data?.topics ?? []).map(({ name }) => name), topic].filter(Boolean))];
  return (
    <>
      <SearchBox
        label="Contact"
        placeholder="Beginning of an address or number"
        value={q}
        onValue={(value) => change({ q: value }, true)}
      />
      <Choice
        label="Topic"
        value={topic}
        options={[{ value: '', label: 'All topics' }, ...names.map((name) => ({ value: name, label: name }))]}
        onValue={(value) => change({ topic: value })}
      />
      <TextField label="From" type="date" value={from} onValue={(value) => change({ from: value })} />
      <TextField label="To" type="date" value={to} onValue={(value) => change({ to: value })} />
    </>
  );
}

/** The queue: what waits, what went out, what failed and why; failures can be tried again. */
export function AlertsPage() {
  const { run, notify } = useSession();
  const shown = useAlertFilters();
  const { filters, which, change } = shown;
  const { after } = useAddressTrail();
  const alerts = useQuery(AlertsDocument, {
    ...which,
    state: (filters.state || null) as MessageState | null,
    after,
  });
  const totals = useQuery(AlertTotalsDocument, which);
  usePolling(alerts, REFRESH_MS);
  usePolling(totals, TOTALS_MS);
  const [read, setRead] = useState<Alert | null>(null);
  const retry = useAction(async (ids: string[] | null) => {
    const { retryAlerts } = await run(RetryAlertsDocument, { ids });
    notify(`${plural(retryAlerts, 'alert')} queued again.`);
    alerts.reload();
    totals.reload();
  });
  const countOf = (state: MessageState): number => totals.data?.[state].totalCount ?? 0;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <PageHead
        title="Alerts"
        lead={`Every message to a subscriber of the last 30 days, in ${zoneName()}. The page follows the queue by itself.`}
        aside={
          <Segments
            label="State"
            value={filters.state}
            options={STATES.map(({ value, label }) => ({
              value,
              label: value && totals.data ? `${label} ${formatShort(countOf(value))}` : label,
            }))}
            onValue={(state) => change({ state })}
          />
        }
      />
      <Failure error={retry.error} />
      <Browse
        title="Queue"
        caption="Alerts, newest first"
        kind="alerts"
        query={alerts}
        rowsOf={(data) => data.alerts}
        keyOf={({ id }) => id}
        file={{
          path: 'alerts.csv',
          fields: {
            state: filters.state,
            topic: filters.topic,
            from: String(which.from ?? ''),
            to: String(which.to ?? ''),
            search: filters.q,
          },
        }}
        aside={
          <button
            type="button"
            class="small secondary outline"
            disabled={retry.isBusy || countOf('failed') === 0}
            onClick={() => void retry.start(null)}
          >
            Retry all failed{totals.data && !isFiltered ? ` (${formatNumber(countOf('failed'))})` : ''}
          </button>
        }
        filters={<Filters {...shown} />}
        columns={[
          {
            label: 'Product',
            cell: ({ epi, product }) => (
              <ProductName {...product} id={epi} href={hrefTo('products', String(epi))} />
            ),
          },
          {
            label: 'To',
            cell: ({ value }) => (
              <span class="wrap" title={value}>
                {value}
              </span>
            ),
          },
          { label: 'Topic', cell: ({ topic }) => <span title={topic}>{topic}</span> },
          { label: 'State', cell: (alert) => <State alert={alert} /> },
          { label: 'Queued', cell: ({ cts }) => formatMoment(cts) },
          {
            label: 'Actions',
            isAction: true,
            cell: (alert) => (
              <>
                {alert.state === 'failed' && (
                  <button
                    type="button"
                    class="small secondary outline"
                    disabled={retry.isBusy}
                    aria-label={`Retry the alert to ${alert.value}`}
                    onClick={() => void retry.start([alert.id])}
                  >
                    Retry
                  </button>
                )}
                <button
                  type="button"
                  class="small secondary outline"
                  aria-label={`Message to ${alert.value}`}
                  onClick={() => setRead(alert)}
                >
                  Message
                </button>
              </>
            ),
          },
        ]}
        empty={
          <Empty title={isFiltered ? 'No alert fits' : 'No alerts yet'}>
            {isFiltered
              ? 'Alerts are kept for 30 days after they were sent, given up or withheld.'
              : 'They are queued when a product comes back that somebody waits for.'}
          </Empty>
        }
      />
      {read && <AlertMessage alert={read} onClose={() => setRead(null)} />}
    </>
  );
}
