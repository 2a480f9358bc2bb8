import { useMemo, useState } from 'preact/hooks';
import { MostWishlistedDocument, OverviewDocument } from '../../generated/dashboard.ts';
import type { MostWishlistedQuery, OverviewQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatNumber } from '../format.ts';
import { DayChart } from '../parts/chart.tsx';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { Segments } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { ProductName } from '../parts/product.tsx';
import { RevenueCard } from '../parts/revenue.tsx';
import { WaitingDemand } from '../parts/waiting-demand.tsx';
import { useQuery } from '../session.ts';

type Day = Answered<OverviewQuery>['activity'][number];
type Wished = Answered<MostWishlistedQuery>['mostWishlisted'][number];

const RANGES = ['7', '30', '90'].map((days) => ({ value: days, label: `${days} days` }));
const FIGURES = [
  { field: 'adds', name: 'Added to lists', colour: '--chart-1' },
  { field: 'subscriptions', name: 'Subscriptions', colour: '--chart-2' },
  { field: 'alerts', name: 'Alerts sent', colour: '--chart-3' },
] as const;

function Figures({ days }: { days: Day[] }) {
  const series = useMemo(
    () =>
      FIGURES.map((figure) => ({
        ...figure,
        points: days.map((day) => ({ day: day.day, value: day[figure.field] })),
      })),
    [days],
  );
  return (
    <>
      <div class="charts">
        {series.map(({ field, name, colour, points }) => (
          <DayChart key={field} name={name} colour={colour} points={points} />
        ))}
      </div>
      <details class="figures-table">
        <summary>Show these figures as a table</summary>
        <Table
          caption="Figures a day, newest first"
          rows={days.toReversed()}
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

function ProductLink({ product }: { product: Wished }) {
  const name = <ProductName dt={product.dt} iu={product.iu} id={product.empi} />;
  const isPage = product.du !== null && /^https?:\/\//.test(product.du);
  if (!isPage) return name;
  return (
    <a class="plain" href={product.du!} target="_blank" rel="noreferrer noopener">
      {name}
      <span class="visually-hidden">(opens the shop in a new tab)</span>
    </a>
  );
}

/** How the store does: figures over time, what is wanted, what is waited for. */
export function OverviewPage() {
  const [range, setRange] = useState('30');
  const activity = useQuery(OverviewDocument, { days: Number(range) });
  const wished = useQuery(MostWishlistedDocument, { first: 10 });
  return (
    <>
      <PageHead
        title="Overview"
        lead="Days are in UTC; figures are a few seconds behind."
        aside={<Segments label="Range" value={range} options={RANGES} onValue={setRange} />}
      />
      <Card title="Activity">
        <Loaded query={activity} lines={6}>
          {(data) => <Figures days={data.activity} />}
        </Loaded>
      </Card>
      <RevenueCard days={Number(range)} />
      <div class="columns">
        <Card title="Most wishlisted" note="Products that are in most lists right now.">
          <Loaded query={wished}>
            {({ mostWishlisted }) =>
              mostWishlisted.length === 0 ? (
                <Empty title="No product is in a list yet">
                  It appears here with the first heart a shopper clicks.
                </Empty>
              ) : (
                <Table
                  caption="Most wishlisted products"
                  rows={mostWishlisted}
                  keyOf={({ empi }) => String(empi)}
                  columns={[
                    { label: 'Product', cell: (product) => <ProductLink product={product} /> },
                    { label: 'Lists', isNumber: true, cell: ({ count }) => formatNumber(count) },
                  ]}
                />
              )
            }
          </Loaded>
        </Card>
        <WaitingDemand />
      </div>
    </>
  );
}
