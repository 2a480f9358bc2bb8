import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { DayChart } from '../parts/chart.tsx';
import { Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { sendsEmail } from '../parts/mail-server.tsx';
import { DAY, usePeriod } from '../parts/period.tsx';
import { ProductName, SetStockButton, VariantName } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery, useSession } from '../session.ts';
import { find, t } from '../text.ts';
import { RevenueCard } from './revenue.tsx';

const STEPS_MS = 10_000;

type Steps = Answered<gql.SetupStepsQuery>;

const STEPS: { name: string; href: string; isDone: (steps: Steps, isDemo: boolean) => boolean }[] = [
  { name: 'products', href: hrefTo('integrations'), isDone: ({ setup }) => setup.products },
  { name: 'currency', href: hrefTo('settings', 'brand'), isDone: ({ store }) => store.currency !== null },
  { name: 'shopper', href: '/docs', isDone: ({ setup }) => setup.shoppers },
  { name: 'list', href: '/docs', isDone: ({ setup }) => setup.lists },
  { name: 'email', href: hrefTo('settings', 'mail-server'), isDone: sendsEmail },
  { name: 'alert', href: hrefTo('topics'), isDone: ({ setup }) => setup.alerts },
];

function Checklist() {
  const { isDemo } = useSession();
  const steps = useQuery(gql.SetupStepsDocument, {});
  usePolling(steps, STEPS_MS);
  const { data } = steps;
  if (data === null) return null;
  const list = STEPS.map((step) => ({ ...step, isDone: step.isDone(data, isDemo) }));
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
  { field: 'adds', label: 'overview.adds', href: () => hrefTo('products', '', { sort: 'lists' }) },
  {
    field: 'subscriptions',
    label: 'overview.subscriptions',
    href: () => hrefTo('products', '', { sort: 'waiting' }),
  },
  {
    field: 'alerts',
    label: 'revenue.sent',
    href: ({ from, to }: Report) => hrefTo('alerts', '', { state: 'sent', from, to }),
  },
] as const;

export function OverviewPage() {
  const { fields, picker } = usePeriod(PRESETS);
  const activity = useQuery(gql.OverviewDocument, fields);
  const shown = activity.data?.activityReport;
  const demand = useQuery(gql.DemandDocument, {});
  usePolling(activity, REFRESH_MS);
  usePolling(demand, REFRESH_MS);
  return (
    <Page
      title={t('page.overview')}
      lead={shown && t('overview.lead', { zone: shown.timeZone })}
      aside={picker(shown)}
    >
      <Checklist />
      <Card title={t('overview.activity')}>
        <Loaded query={activity} lines={6}>
          {({ activityReport: report }) => (
            <>
              <div class="charts">
                {FIGURES.map(({ field, label, href }, index) => (
                  <DayChart
                    key={field}
                    name={t(label)}
                    colour={`var(--chart-${index + 1})`}
                    href={href(report)}
                    points={report.days.map((day) => ({ day: day.day, value: day[field] }))}
                    before={report.previous[field]}
                  />
                ))}
              </div>
              <details class="figures-table">
                <summary class="muted">{t('overview.asTable')}</summary>
                <Table
                  caption={t('overview.byDay')}
                  rows={report.days.toReversed()}
                  keyOf={({ day }) => day}
                  columns={[
                    DAY,
                    ...FIGURES.map(({ field, label }) => ({ label, number: (day: Day) => day[field] })),
                  ]}
                />
              </details>
            </>
          )}
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
          query={demand}
          rowsOf={({ mostWishlisted }) => mostWishlisted}
          keyOf={({ empi }) => String(empi)}
          columns={[
            {
              label: 'overview.product',
              cell: ({ dt, iu, empi }) => (
                <ProductName dt={dt} iu={iu} id={empi} href={hrefTo('products', '', { q: String(empi) })} />
              ),
            },
            { label: 'overview.lists', number: ({ count }) => count },
          ]}
          empty={['overview.noWished', 'overview.noWishedText']}
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
            { label: 'overview.variant', cell: (variant) => <VariantName {...variant} /> },
            { label: 'overview.waiting', number: ({ waiting }) => waiting },
            { label: 'overview.restock', actions: (variant) => <SetStockButton {...variant} /> },
          ]}
          empty={['overview.noDemand', 'overview.noDemandText']}
        />
      </div>
    </Page>
  );
}
