import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { dayStart, formatMoment, formatNumber, formatShort, plural, zoneName } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, Segments, TextField, optionsOf, textOptions } from '../parts/fields.tsx';
import { Button, ErrorNotice, Loaded, Page, StateBadge } from '../parts/layout.tsx';
import { VariantName } from '../parts/product.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { MailFrame, TextPreview } from '../parts/template-preview.tsx';
import { useAction, useAddressPages, usePolling, useQuery, useSession } from '../session.ts';
import { textsOf } from '../topic-draft.ts';

type Alert = Answered<gql.AlertsQuery>['alerts']['edges'][number]['node'];

/** The service does not store messages: it renders this one again, and the dialog says so. */
function AlertMessage({ topic, epi, medium, value, finishedAt }: Alert) {
  const message = useQuery(gql.AlertMessageDocument, { topic, epi });
  return (
    <Dialog title={`Message to ${value}`}>
      <p class="muted">
        Messages are not kept. This is the topic's template of today with today's product
        {finishedAt === null ? '.' : `; the alert was done ${formatMoment(finishedAt)}.`} Links are samples.
      </p>
      <Loaded query={message} lines={6}>
        {({ previewTopic, channels }) => {
          const texts = textsOf(previewTopic.texts);
          const parts = channels.find((channel) => channel.medium === medium)?.parts ?? [];
          return parts.map(({ name, label, isHtml, rows }) => {
            const text = texts[name] ?? '';
            if (isHtml) return <MailFrame key={name} html={text} width="desktop" />;
            return rows === 1 ? (
              <p key={name} class="preview-subject">
                <span class="muted">{label}</span> <strong>{text}</strong>
              </p>
            ) : (
              <details key={name} open={!parts.some((part) => part.isHtml)}>
                <summary>{label}</summary>
                <TextPreview label={label} text={text} />
              </details>
            );
          });
        }}
      </Loaded>
    </Dialog>
  );
}

const STATES = optionsOf({
  '': 'All',
  queued: 'Queued',
  sent: 'Sent',
  failed: 'Failed',
  withheld: 'Withheld',
});
const REFRESH_MS = 5_000;
const TOTALS_MS = 30_000;

function State({ state, attempts, error, dueAt }: Alert) {
  const isWaiting = state === 'queued' && attempts > 0;
  const notes = [
    attempts > 1 && plural(attempts, 'try', 'tries'),
    error,
    isWaiting && `next try ${formatMoment(dueAt)}`,
  ];
  const note = notes.filter(Boolean).join(' · ');
  return (
    <>
      <StateBadge state={state}>{isWaiting ? 'will be retried' : state}</StateBadge>
      {note && (
        <span class="muted cell-note" title={note}>
          {note}
        </span>
      )}
    </>
  );
}

const useAlertFilters = () => useFilters(['state', 'topic', 'from', 'to', 'q'], ['q']);

function Filters({ filters: { topic }, bind }: ReturnType<typeof useAlertFilters>) {
  const topics = useQuery(gql.TopicNamesDocument, {});
  const options = textOptions([...(topics.data?.topics ?? []).map(({ name }) => name), topic]);
  return (
    <>
      <SearchBox label="Contact" placeholder="Beginning of an address or number" {...bind('q')} />
      <Choice label="Topic" options={[{ value: '', label: 'All topics' }, ...options]} {...bind('topic')} />
      <TextField label="From" type="date" {...bind('from')} />
      <TextField label="To" type="date" {...bind('to')} />
    </>
  );
}

export function AlertsPage() {
  const { run } = useSession();
  const shown = useAlertFilters();
  const { topic, from, to, q } = shown.filters;
  const state = oneOf(shown.filters.state, STATES, '');
  const which = { topic: topic || null, from: dayStart(from), to: dayStart(to, 1), search: q || null };
  const alerts = useAddressPages(gql.AlertsDocument, { ...which, state: state || null });
  const totals = useQuery(gql.AlertTotalsDocument, which);
  usePolling(alerts, REFRESH_MS);
  usePolling(totals, TOTALS_MS);
  const retry = useAction(async (ids: string[] | null) => {
    const { retryAlerts } = await run(gql.RetryAlertsDocument, { ids });
    alerts.reload();
    totals.reload();
    return `${plural(retryAlerts, 'alert')} queued again.`;
  });
  const countOf = (one: gql.MessageState): number => totals.data?.[one].totalCount ?? 0;
  const isFiltered = [state, topic, from, to, q].some(Boolean);
  const states = STATES.map(({ value, label }) => ({
    value,
    label: value && totals.data ? `${label} ${formatShort(countOf(value))}` : label,
  }));
  const failed = totals.data && !isFiltered ? ` (${formatNumber(countOf('failed'))})` : '';
  return (
    <Page
      title="Alerts"
      lead={`Every message to a subscriber of the last 30 days, in ${zoneName()}. The page follows the queue by itself.`}
      aside={<Segments label="State" value={state} options={states} onValue={shown.bind('state').onValue} />}
    >
      <ErrorNotice error={retry.error} />
      <TableCard
        title="Queue"
        caption="Alerts, newest first"
        kind="alerts"
        isDense
        query={alerts}
        rowsOf={(data) => data.alerts}
        keyOf={({ id }) => id}
        file={{
          path: 'alerts.csv',
          fields: { state, topic, from: String(which.from ?? ''), to: String(which.to ?? ''), search: q },
        }}
        aside={
          <Button
            text={`Retry all failed${failed}`}
            disabled={retry.isBusy || countOf('failed') === 0}
            onClick={() => retry.start(null)}
          />
        }
        filters={<Filters {...shown} />}
        columns={[
          { label: 'Product', cell: ({ epi, product }) => <VariantName {...product} epi={epi} /> },
          {
            label: 'To',
            cell: ({ value }) => (
              <span class="wrap" title={value}>
                {value}
              </span>
            ),
          },
          { label: 'Topic', cell: (alert) => <span title={alert.topic}>{alert.topic}</span> },
          { label: 'State', cell: (alert) => <State {...alert} /> },
          { label: 'Queued', cell: ({ cts }) => formatMoment(cts) },
          {
            label: 'Actions',
            actions: (alert) => (
              <>
                {alert.state === 'failed' && (
                  <Button
                    text="Retry"
                    label={`Retry the alert to ${alert.value}`}
                    disabled={retry.isBusy}
                    onClick={() => retry.start([alert.id])}
                  />
                )}
                <Button
                  text="Message"
                  label={`Message to ${alert.value}`}
                  opens={<AlertMessage {...alert} />}
                />
              </>
            ),
          },
        ]}
        empty={isFiltered ? 'No alert fits' : 'No alerts yet'}
        emptyText={
          isFiltered
            ? 'Alerts are kept for 30 days after they were sent, given up or withheld.'
            : 'They are queued when a product comes back that somebody waits for.'
        }
      />
    </Page>
  );
}
