import { RevenueDetailsDocument } from '../../../generated/dashboard.ts';
import type { RevenueDetailsQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatMoney, formatNumber } from '../format.ts';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { useDays } from '../parts/filters.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { Funnel, NoOrders, Totals, firstDay } from '../parts/revenue.tsx';
import { CsvButton } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

type Revenue = Answered<RevenueDetailsQuery>['revenue'];

const RANGES = ['7', '30', '90', '365'];

/** Amounts of several currencies, one a line. */
function Amounts({ amounts }: { amounts: { currency: string; amount: string }[] }) {
  if (amounts.length === 0) return <>–</>;
  return (
    <>
      {amounts.map(({ currency, amount }) => (
        <div key={currency}>{formatMoney(amount, currency)}</div>
      ))}
    </>
  );
}

function Topics({ topics }: { topics: Revenue['topics'] }) {
  if (topics.length === 0)
    return <Empty title="No alert was clicked in these days">Each topic appears with its first click.</Empty>;
  return (
    <Table
      caption="Revenue by topic"
      rows={topics}
      keyOf={({ topic }) => topic}
      columns={[
        { label: 'Topic', cell: ({ topic }) => topic },
        { label: 'Alerts clicked', number: ({ clicked }) => formatNumber(clicked) },
        {
          label: 'Orders',
          number: ({ totals }) => formatNumber(totals.reduce((sum, { orders }) => sum + orders, 0)),
        },
        { label: 'Revenue', number: ({ totals }) => <Amounts amounts={totals} /> },
      ]}
    />
  );
}

function Days({ days }: { days: Revenue['days'] }) {
  const busy = days
    .filter(({ sent, clicked, totals }) => sent + clicked > 0 || totals.length > 0)
    .toReversed();
  if (busy.length === 0) return <Empty title="Nothing happened in these days" />;
  return (
    <Table
      isDense
      caption="Revenue by day, newest first; days without any are left out"
      rows={busy}
      keyOf={({ day }) => day}
      columns={[
        { label: 'Day', cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
        { label: 'Alerts sent', number: ({ sent }) => formatNumber(sent) },
        { label: 'Alerts clicked', number: ({ clicked }) => formatNumber(clicked) },
        {
          label: 'From alerts',
          number: ({ totals }) => (
            <Amounts amounts={totals.map(({ currency, fromAlerts }) => ({ currency, amount: fromAlerts }))} />
          ),
        },
        {
          label: 'From lists',
          number: ({ totals }) => (
            <Amounts amounts={totals.map(({ currency, fromLists }) => ({ currency, amount: fromLists }))} />
          ),
        },
        { label: 'All orders', number: ({ totals }) => <Amounts amounts={totals} /> },
      ]}
    />
  );
}

export function RevenuePage() {
  const { days, picker } = useDays(RANGES);
  const details = useQuery(RevenueDetailsDocument, { from: firstDay(days) });
  return (
    <>
      <PageHead
        title="Revenue"
        lead="Days are in UTC, as the orders were placed. A line from an alert does not count as from a list, too."
        aside={
          <div class="card-buttons">
            {picker}
            <CsvButton path="revenue.csv" fields={{ from: firstDay(days) }} />
          </div>
        }
      />
      <Loaded query={details} lines={8}>
        {({ revenue }) => (
          <>
            <Card title="From alert to order">
              <Funnel {...revenue} />
              {revenue.totals.length === 0 ? <NoOrders /> : <Totals totals={revenue.totals} />}
            </Card>
            <Card title="By topic" aside={<a href={hrefTo('settings', 'measuring')}>What is measured</a>}>
              <Topics topics={revenue.topics} />
            </Card>
            <Card title="By day">
              <Days days={revenue.days} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}
