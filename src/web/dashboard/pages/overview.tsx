import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatNumber } from '../format.ts';
import { DayChart } from '../parts/chart.tsx';
import { Checklist } from '../parts/checklist.tsx';
import { Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { ProductName, SetStockButton, VariantName } from '../parts/product.tsx';
import { TableCard, useDays } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery } from '../session.ts';
import { RevenueCard, firstDay } from './revenue.tsx';

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
