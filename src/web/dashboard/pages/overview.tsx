import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatNumber } from '../format.ts';
import { DayChart } from '../parts/chart.tsx';
import { Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { sendsEmail } from '../parts/mail-server.tsx';
import { usePeriod } from '../parts/period.tsx';
import { ProductName, SetStockButton, VariantName } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery } from '../session.ts';
import { find, t } from '../text.ts';
import { RevenueCard } from './revenue.tsx';

const STEPS_MS = 10_000;

type Steps = Answered<gql.SetupStepsQuery>;

const STEPS: { name: string; href: string; isDone: (steps: Steps) => boolean }[] = [
  { name: 'products', href: hrefTo('integrations'), isDone: ({ setup }) => setup.products },
  { name: 'shopper', href: '/docs', isDone: ({ setup }) => setup.shoppers },
  { name: 'list', href: '/docs', isDone: ({ setup }) => setup.lists },
  {
    name: 'email',
    href: hrefTo('integrations'),
    isDone: sendsEmail,
  },
  { name: 'alert', href: hrefTo('topics'), isDone: ({ setup }) => setup.alerts },
];

function Checklist() {
  const steps = useQuery(gql.SetupStepsDocument, {});
  usePolling(steps, STEPS_MS);
  if (steps.data === null) return null;
  const { data } = steps;
  const list = STEPS.map(({ isDone, ...step }) => ({ ...step, isDone: isDone(data) }));
  const done = list.filter(({ isDone }) => isDone).length;
  if (done === STEPS.length) return null;
  return (
    <Card title={t('start.title')} note={t('start.note', { done, all: STEPS.length })}>
      <ol class="plain-list checklist">
        {list.map(({ name, href, isDone }) => (
          <li key={name} class={isDone ? 'is-done' : undefined}>
            <span class="tick" aria-hidden="true">
              {isDone && '✓'}
            </span>
            <span>
              {isDone ? find(`start.${name}`) : <a href={href}>{find(`start.${name}`)}</a>}
              <span class={isDone ? 'visually-hidden' : 'muted'}>
                {isDone ? ` (${t('start.done')})` : find(`start.${name}.how`)}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

type Report = Answered<gql.OverviewQuery>['activityReport'];
type Day = Report['days'][number];

const PRESETS = ['7', '30', '90'];
const REFRESH_MS = 30_000;

const FIGURES = [
  { field: 'adds', name: t('overview.adds'), href: () => hrefTo('products', '', { sort: 'lists' }) },
  {
    field: 'subscriptions',
    name: t('overview.subscriptions'),
    href: () => hrefTo('products', '', { sort: 'waiting' }),
  },
  {
    field: 'alerts',
    name: t('revenue.sent'),
    href: ({ from, to }: Report) => hrefTo('alerts', '', { state: 'sent', from, to }),
  },
] as const;

function Figures({ report }: { report: Report }) {
  const { days, previous } = report;
  return (
    <>
      <div class="charts">
        {FIGURES.map(({ field, name, href }, index) => (
          <DayChart
            key={name}
            name={name}
            colour={`var(--chart-${index + 1})`}
            href={href(report)}
            points={days.map((day) => ({ day: day.day, value: day[field] }))}
            before={previous[field]}
          />
        ))}
      </div>
      <details class="figures-table">
        <summary class="muted">{t('overview.asTable')}</summary>
        <Table
          caption={t('overview.byDay')}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
          columns={[
            { label: t('revenue.day'), cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
            ...FIGURES.map(({ field, name }) => ({
              label: name,
              number: (day: Day) => formatNumber(day[field]),
            })),
          ]}
        />
      </details>
    </>
  );
}

export function OverviewPage() {
  const { fields, picker } = usePeriod(PRESETS);
  const activity = useQuery(gql.OverviewDocument, fields);
  const shown = activity.data?.activityReport;
  const wished = useQuery(gql.MostWishlistedDocument, { first: 10 });
  const demand = useQuery(gql.WaitingDemandDocument, { first: 10 });
  const queries = [activity, wished, demand];
  const reload = (): void => queries.forEach((query) => query.reload());
  usePolling({ isLoading: queries.some(({ isLoading }) => isLoading), reload }, REFRESH_MS);
  return (
    <Page
      title={t('page.overview')}
      lead={shown && t('overview.lead', { zone: shown.timeZone })}
      aside={picker(shown)}
    >
      <Checklist />
      <Card title={t('overview.activity')}>
        <Loaded query={activity} lines={6}>
          {({ activityReport }) => <Figures report={activityReport} />}
        </Loaded>
      </Card>
      <RevenueCard period={fields} />
      <div class="columns">
        <TableCard
          title={t('overview.wished')}
          note={t('overview.wishedNote')}
          aside={<a href={hrefTo('products', '', { sort: 'lists' })}>{t('overview.all')}</a>}
          caption={t('overview.wishedCaption')}
          isDense
          query={wished}
          rowsOf={({ mostWishlisted }) => mostWishlisted}
          keyOf={({ empi }) => String(empi)}
          columns={[
            {
              label: t('overview.product'),
              cell: ({ dt, iu, empi }) => (
                <ProductName dt={dt} iu={iu} id={empi} href={hrefTo('products', '', { q: String(empi) })} />
              ),
            },
            { label: t('overview.lists'), number: ({ count }) => formatNumber(count) },
          ]}
          empty={t('overview.noWished')}
          emptyText={t('overview.noWishedText')}
        />
        <TableCard
          title={t('overview.demand')}
          note={t('overview.demandNote')}
          aside={<a href={hrefTo('products', '', { stock: 'out', sort: 'waiting' })}>{t('overview.all')}</a>}
          caption={t('overview.demandCaption')}
          isDense
          query={demand}
          rowsOf={({ waitingDemand }) => waitingDemand}
          keyOf={({ epi }) => String(epi)}
          columns={[
            { label: t('overview.variant'), cell: (variant) => <VariantName {...variant} /> },
            { label: t('overview.waiting'), number: ({ waiting }) => formatNumber(waiting) },
            {
              label: t('overview.restock'),
              actions: (variant) => <SetStockButton {...variant} onDone={reload} />,
            },
          ]}
          empty={t('overview.noDemand')}
          emptyText={t('overview.noDemandText')}
        />
      </div>
    </Page>
  );
}
