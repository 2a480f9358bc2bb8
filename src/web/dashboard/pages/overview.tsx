import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatNumber } from '../format.ts';
import { DayChart } from '../parts/chart.tsx';
import { Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { ProductName, SetStockButton, VariantName } from '../parts/product.tsx';
import { TableCard, useDays } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery } from '../session.ts';
import { RevenueCard, firstDay } from './revenue.tsx';

const STEPS_MS = 10_000;

type Steps = Answered<gql.SetupStepsQuery>;

const STEPS: { title: string; how: string; href: string; isDone: (steps: Steps) => boolean }[] = [
  {
    title: 'Send your products',
    how: 'Connect Shopify, or post them to /storeadmin/v3/products/upsert.',
    href: hrefTo('integrations'),
    isDone: ({ setup }) => setup.products,
  },
  {
    title: 'Identify a shopper',
    how: 'Your back end asks for a regid at /storeadmin/v3/user/generate-regid.',
    href: '/docs',
    isDone: ({ setup }) => setup.shoppers,
  },
  {
    title: 'Save to a first list',
    how: 'A heart in your shop that calls the browser client.',
    href: '/docs',
    isDone: ({ setup }) => setup.lists,
  },
  {
    title: 'Set up mail',
    how: 'Until then, messages are kept as files on the server.',
    href: hrefTo('integrations'),
    // The demo store sends no real messages, whatever its settings.
    isDone: ({ integrations, store }) =>
      store.isDemo || integrations.some(({ kind, state }) => kind === 'email' && state === 'active'),
  },
  {
    title: 'Send a first alert',
    how: 'Restock something that somebody waits for, or send a topic by hand.',
    href: hrefTo('topics'),
    isDone: ({ setup }) => setup.alerts,
  },
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
    <Card title="Getting started" note={`${done} of ${STEPS.length} done. The list goes away by itself.`}>
      <ol class="plain-list checklist">
        {list.map(({ title, how, href, isDone }) => (
          <li key={title} class={isDone ? 'is-done' : undefined}>
            <span class="tick" aria-hidden="true">
              {isDone && '✓'}
            </span>
            <span>
              {isDone ? title : <a href={href}>{title}</a>}
              <span class={isDone ? 'visually-hidden' : 'muted'}>{isDone ? ' (done)' : how}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

type Day = Answered<gql.OverviewQuery>['activity'][number];

const RANGES = ['7', '30', '90'];
const REFRESH_MS = 30_000;

const FIGURES = [
  { field: 'adds', name: 'Added to lists', href: () => hrefTo('products', '', { sort: 'lists' }) },
  { field: 'subscriptions', name: 'Subscriptions', href: () => hrefTo('products', '', { sort: 'waiting' }) },
  {
    field: 'alerts',
    name: 'Alerts sent',
    href: (days: number) => hrefTo('alerts', '', { state: 'sent', from: firstDay(days) }),
  },
] as const;

/** Compares the days with the same number of days before them. */
function Figures({ days, shown }: { days: Day[]; shown: number }) {
  const current = days.slice(-shown);
  return (
    <>
      <div class="charts">
        {FIGURES.map(({ field, name, href }, index) => (
          <DayChart
            key={name}
            name={name}
            colour={`var(--chart-${index + 1})`}
            href={href(shown)}
            points={current.map((day) => ({ day: day.day, value: day[field] }))}
            before={days.slice(0, -shown).reduce((sum, day) => sum + day[field], 0)}
          />
        ))}
      </div>
      <details class="figures-table">
        <summary class="muted">Show these figures as a table</summary>
        <Table
          caption="Figures a day, newest first"
          rows={current.toReversed()}
          keyOf={({ day }) => day}
          columns={[
            { label: 'Day', cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
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
  const { days, picker } = useDays(RANGES);
  const activity = useQuery(gql.OverviewDocument, { days: days * 2 });
  const wished = useQuery(gql.MostWishlistedDocument, { first: 10 });
  const demand = useQuery(gql.WaitingDemandDocument, { first: 10 });
  const queries = [activity, wished, demand];
  const reload = (): void => queries.forEach((query) => query.reload());
  usePolling({ isLoading: queries.some(({ isLoading }) => isLoading), reload }, REFRESH_MS);
  return (
    <Page
      title="Overview"
      lead="Days are in UTC; figures are a few seconds behind, and compared with as many days before."
      aside={picker}
    >
      <Checklist />
      <Card title="Activity">
        <Loaded query={activity} lines={6}>
          {(data) => <Figures days={data.activity} shown={Math.min(days, data.activity.length / 2)} />}
        </Loaded>
      </Card>
      <RevenueCard days={days} />
      <div class="columns">
        <TableCard
          title="Most wishlisted"
          note="Products that are in most lists right now."
          aside={<a href={hrefTo('products', '', { sort: 'lists' })}>All</a>}
          caption="Most wishlisted products"
          isDense
          query={wished}
          rowsOf={({ mostWishlisted }) => mostWishlisted}
          keyOf={({ empi }) => String(empi)}
          columns={[
            {
              label: 'Product',
              cell: ({ dt, iu, empi }) => (
                <ProductName dt={dt} iu={iu} id={empi} href={hrefTo('products', '', { q: String(empi) })} />
              ),
            },
            { label: 'Lists', number: ({ count }) => formatNumber(count) },
          ]}
          empty="No product is in a list yet"
          emptyText="It appears here with the first heart a shopper clicks."
        />
        <TableCard
          title="Waiting demand"
          note="Sold-out variants that most contacts wait for."
          aside={<a href={hrefTo('products', '', { stock: 'out', sort: 'waiting' })}>All</a>}
          caption="Waiting demand by variant"
          isDense
          query={demand}
          rowsOf={({ waitingDemand }) => waitingDemand}
          keyOf={({ epi }) => String(epi)}
          columns={[
            { label: 'Variant', cell: (variant) => <VariantName {...variant} /> },
            { label: 'Waiting', number: ({ waiting }) => formatNumber(waiting) },
            { label: 'Restock', actions: (variant) => <SetStockButton {...variant} onDone={reload} /> },
          ]}
          empty="Nobody is waiting"
          emptyText="A sold-out variant appears here with its first subscriber."
        />
      </div>
    </Page>
  );
}
