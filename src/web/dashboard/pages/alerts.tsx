import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { dayStart, formatMoment, formatShort, zoneName } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, Segments, TextField, optionsOf, textOptions } from '../parts/fields.tsx';
import { Button, CellNote, ErrorNotice, Loaded, Page, StateBadge } from '../parts/layout.tsx';
import { sendsEmail } from '../parts/mail-server.tsx';
import { VariantName } from '../parts/product.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { InboxLine, MailFrame, TextPreview } from '../parts/template-preview.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useAddressPages, usePolling, useQuery, useSession } from '../session.ts';
import { find, partName, rich, t, topicName } from '../text.ts';
import { INBOX_LENGTHS, textsOf } from '../topic-draft.ts';

type Alert = Answered<gql.AlertsQuery>['alerts']['edges'][number]['node'];

/** The service does not store messages: it renders this one again, and the dialog says so. */
function AlertMessage({ topic, epi, medium, value, finishedAt }: Alert) {
  const message = useQuery(gql.AlertMessageDocument, { topic, epi });
  return (
    <Dialog title={t('alerts.previewTitle')}>
      <p class="muted">
        {t('alerts.preview', { contact: value })}
        {finishedAt !== null && ` ${t('alerts.finishedAt', { date: formatMoment(finishedAt) })}`}
      </p>
      <Loaded query={message} lines={6}>
        {({ previewTopic, channels }) => {
          if (previewTopic === null) return <p>{t('error.not-found')}</p>;
          const texts = textsOf(previewTopic.texts);
          const parts = channels.find((channel) => channel.medium === medium)?.parts ?? [];
          const shown = parts.filter(({ name, isField }) => !isField || name in INBOX_LENGTHS);
          return shown.map(({ name, isHtml, rows }) => {
            const text = texts[name] ?? '';
            if (isHtml) return <MailFrame key={name} html={text} width="desktop" />;
            if (rows === 1) return <InboxLine key={name} part={name} line={text} />;
            return (
              <details key={name} open={!parts.some((part) => part.isHtml)}>
                <summary>{partName(name)}</summary>
                <TextPreview label={partName(name)} text={text} />
              </details>
            );
          });
        }}
      </Loaded>
    </Dialog>
  );
}

const STATES = optionsOf({
  '': 'common.all',
  queued: 'state.queued',
  sent: 'state.sent',
  failed: 'state.failed',
  withheld: 'state.withheld',
});
const REFRESH_MS = 5_000;
const TOTALS_MS = 30_000;

function State({ state, attempts, error, dueAt }: Alert) {
  const isRetried = state === 'queued' && attempts > 0;
  const isWaiting = state === 'queued' && !isRetried && dueAt > Date.now();
  const notes = [
    isWaiting && t('alerts.waits', { date: formatMoment(dueAt) }),
    attempts > 1 && t('alerts.attempts', { count: attempts }),
    error && (find(`alerts.reason.${error}`) ?? t('alerts.reason', { error })),
    isRetried && t('alerts.nextAttempt', { date: formatMoment(dueAt) }),
  ];
  const note = notes.filter(Boolean).join(' · ');
  return (
    <>
      <StateBadge state={state}>{isRetried ? t('alerts.retrying') : undefined}</StateBadge>
      {note && <CellNote>{note}</CellNote>}
    </>
  );
}

export function AlertsPage() {
  const { run, isDemo } = useSession();
  const { filters, bind } = useFilters(['state', 'topic', 'from', 'to', 'q'], ['q']);
  const { topic, from, to, q } = filters;
  const state = oneOf(filters.state, STATES, '');
  const which = { topic: topic || null, from: dayStart(from), to: dayStart(to, 1), search: q || null };
  const alerts = useAddressPages(gql.AlertsDocument, { filter: { ...which, state: state || null } });
  const totals = useQuery(gql.AlertTotalsDocument, which);
  const { data: setup } = useQuery(gql.AlertsSetupDocument, {});
  const topics = textOptions([...(setup?.topics ?? []).map(({ name }) => name), topic], topicName);
  usePolling(alerts, REFRESH_MS);
  usePolling(totals, TOTALS_MS);
  const retry = useAction(async (ids: string[] | null) => {
    const { retryAlerts } = await run(gql.RetryAlertsDocument, { ids });
    return t('alerts.retried', { count: retryAlerts });
  });
  const countOf = (one: gql.MessageState): number => totals.data?.[one].totalCount ?? 0;
  const isFiltered = [state, topic, from, to, q].some(Boolean);
  const states = STATES.map(({ value, label }) => ({
    value,
    label:
      value && totals.data
        ? t('alerts.stateCount', { state: label, count: formatShort(countOf(value)) })
        : label,
  }));
  const link = <a href={hrefTo('settings', 'mail-server')}>{t('alerts.addMailServer')}</a>;
  const hasCount = totals.data !== null && !isFiltered;
  return (
    <Page
      title={t('page.alerts')}
      lead={t('alerts.lead', { zone: zoneName() })}
      aside={
        <Segments label={t('table.state')} value={state} options={states} onValue={bind('state').onValue} />
      }
    >
      <ErrorNotice error={retry.error} />
      {setup && !sendsEmail(setup, isDemo) && (
        <p class="notice bad">
          <span>{rich('alerts.noMailServer', { link })}</span>
        </p>
      )}
      <TableCard
        title={t('alerts.queue')}
        caption={t('alerts.caption')}
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
            text={t(hasCount ? 'alerts.retryAllCount' : 'alerts.retryAll', { count: countOf('failed') })}
            disabled={retry.isBusy || countOf('failed') === 0}
            onClick={() => retry.start(null)}
          />
        }
        filters={
          <>
            <SearchBox label={t('table.contact')} placeholder={t('alerts.contactSample')} {...bind('q')} />
            <Choice
              label={t('table.topic')}
              options={[{ value: '', label: t('alerts.allTopics') }, ...topics]}
              {...bind('topic')}
            />
            <TextField label={t('alerts.from')} type="date" {...bind('from')} />
            <TextField label={t('alerts.to')} type="date" {...bind('to')} />
          </>
        }
        columns={[
          { label: 'table.product', cell: ({ epi, product }) => <VariantName {...product} epi={epi} /> },
          { label: 'alerts.recipient', cell: ({ value }) => <span class="wrap">{value}</span> },
          { label: 'table.topic', cell: ({ topic: name }) => <span title={name}>{topicName(name)}</span> },
          { label: 'table.state', cell: (alert) => <State {...alert} /> },
          { label: 'alerts.queued', time: ({ cts }) => cts },
          {
            label: 'common.actions',
            actions: (alert) => (
              <>
                {alert.state === 'failed' && (
                  <Button
                    text={t('alerts.retry')}
                    label={t('alerts.retryLabel', { contact: alert.value })}
                    disabled={retry.isBusy}
                    onClick={() => retry.start([alert.id])}
                  />
                )}
                <Button
                  text={t('alerts.message')}
                  label={t('alerts.messageTo', { contact: alert.value })}
                  opens={<AlertMessage {...alert} />}
                />
              </>
            ),
          },
        ]}
        empty={isFiltered ? ['alerts.none', 'alerts.noneText'] : ['alerts.noneYet', 'alerts.noneYetText']}
      />
    </Page>
  );
}
