import { useMemo } from 'preact/hooks';
import {
  MostWishlistedDocument,
  OverviewDocument,
  WaitingDemandDocument,
} from '../../../generated/dashboard.ts';
import type { OverviewQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatNumber } from '../format.ts';
import { DayChart } from '../parts/chart.tsx';
import { Checklist } from '../parts/checklist.tsx';
import { useFilters } from '../parts/browse.tsx';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { Segments } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { ProductName } from '../parts/product.tsx';
import { RevenueCard, firstDay } from '../parts/revenue.tsx';
import { WaitingDemand } from '../parts/waiting-demand.tsx';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery } from '../session.ts';

type Day = Answered<OverviewQuery>['activity'][number];

const RANGES = ['7', '30', '90'].map((days) => ({ value: days, label: `${days} days` }));
const REFRESH_MS = 30_000;
const FIGURES = [
  {
    field: 'adds',
    name: 'Added to lists',
    colour: '--chart-1',
    href: () => hrefTo('products', '', { sort: 'lists' }),
  },
  {
    field: 'subscriptions',
    name: 'Subscriptions',
    colour: '--chart-2',
    href: () => hrefTo('products', '', { sort: 'waiting' }),
  },
  {
    field: 'alerts',
    name: 'Alerts sent',
    colour: '--chart-3',
    href: (days: number) => hrefTo('alerts', '', { state: 'sent', from: firstDay(days) }),
  },
] as const;

/** The days that are shown, compared with as many before them. */
function Figures({ days, shown }: { days: Day[]; shown: number }) {
  const current = useMemo(() => days.slice(-shown), [days, shown]);
  const series = useMemo(
    () =>
      FIGURES.map((figure) => ({
        ...figure,
        points: current.map((day) => ({ day: day.day, value: day[figure.field] })),
        before: days.slice(0, -shown).reduce((sum, day) => sum + day[figure.field], 0),
      })),
    [current, days, shown],
  );
  return (
    <>
      <div class="charts">
        {series.map(({ field, href, ...chart }) => (
          <DayChart key={field} {...chart} href={href(shown)} />
        ))}
      </div>
      <details class="figures-table">
        <summary>Show these figures as a table</summary>
        <Table
          caption="Figures a day, newest first"
          rows={current.toReversed()}
          keyOf={({ day }) => day}
          columns={[
            { label: 'Day', cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
            ...FIGURES.map(({ field, name }) => ({
              label: name,
              isNumber: true,
              cell: (day: Day) => formatNumber(day[field]),
            })),
          ]}
        />
      </details>
    </>
  );
}

/** How the store does: figures over time, what is wanted, what is waited for. */
export function OverviewPage() {
  const [{ days }, change] = useFilters(['days']);
  const range = RANGES.some(({ value }) => value === days) ? days : '30';
  const shown = Number(range);
  const activity = useQuery(OverviewDocument, { days: shown * 2 });
  const wished = useQuery(MostWishlistedDocument, { first: 10 });
  const demand = useQuery(WaitingDemandDocument, { first: 10 });
  const queries = [activity, wished, demand];
  usePolling(
    {
      isLoading: queries.some(({ isLoading }) => isLoading),
      reload: () => queries.forEach(({ reload }) => reload()),
    },
    REFRESH_MS,
  );
  return (
    <>
      <PageHead
        title="Overview"
        lead="Days are in UTC; figures are a few seconds behind, and compared with as many days before."
        aside={
          <Segments
            label="Range"
            value={range}
            options={RANGES}
            onValue={(value) => change({ days: value === '30' ? '' : value })}
          />
        }
      />
      <Checklist />
      <Card title="Activity">
        <Loaded query={activity} lines={6}>
          {(data) => <Figures days={data.activity} shown={Math.min(shown, data.activity.length / 2)} />}
        </Loaded>
      </Card>
      <RevenueCard days={shown} />
      <div class="columns">
        <Card
          title="Most wishlisted"
          note="Products that are in most lists right now."
          aside={<a href={hrefTo('products', '', { sort: 'lists' })}>All</a>}
        >
          <Loaded query={wished}>
            {({ mostWishlisted }) =>
              mostWishlisted.length === 0 ? (
                <Empty title="No product is in a list yet">
                  It appears here with the first heart a shopper clicks.
                </Empty>
              ) : (
                <Table
                  caption="Most wishlisted products"
                  isDense
                  rows={mostWishlisted}
                  keyOf={({ empi }) => String(empi)}
                  columns={[
                    {
                      label: 'Product',
                      cell: ({ dt, iu, empi }) => (
                        <ProductName
                          dt={dt}
                          iu={iu}
                          id={empi}
                          href={hrefTo('products', '', { q: String(empi) })}
                        />
                      ),
                    },
                    { label: 'Lists', isNumber: true, cell: ({ count }) => formatNumber(count) },
                  ]}
                />
              )
            }
          </Loaded>
        </Card>
        <WaitingDemand demand={demand} onRestocked={() => queries.forEach(({ reload }) => reload())} />
      </div>
    </>
  );
}
