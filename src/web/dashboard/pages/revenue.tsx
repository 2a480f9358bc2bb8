import { RevenueDetailsDocument, RevenueOverviewDocument } from '../../../generated/dashboard.ts';
import type { RevenueDetailsQuery, RevenueTotalsFragment } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatDay, formatMoney, formatNumber, formatShare } from '../format.ts';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { CsvButton, useDays } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

const DAY_MS = 24 * 3_600_000;

/** The first of the last `days` days, in UTC as the service counts them. */
export const firstDay = (days: number): string =>
  new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);

const EXAMPLE = `curl -u "$PID:$KEY" "$BASE/storeadmin/v3/orders/report" \\
  -d orderId=1001 -d currency=EUR -d useremail=ada@example.com \\
  --data-urlencode 'lines=[{ "epi": 1001, "quantity": 1, "price": "49.50" }]'`;

function NoOrders() {
  return (
    <>
      <Empty title="No order was reported in these days">
        Report each order from your shop's back end when it is placed, or let Shopify do it: register
        orders/create beside the other webhooks under <a href={hrefTo('integrations')}>Integrations</a>.
      </Empty>
      <pre class="example">
        <code>{EXAMPLE}</code>
      </pre>
    </>
  );
}

function Funnel({ sent, clicked, ordered }: { sent: number; clicked: number; ordered: number }) {
  const steps = [
    { name: 'Alerts sent', value: sent, note: '' },
    { name: 'Alerts clicked', value: clicked, note: `${formatShare(clicked, sent)} of those sent` },
    { name: 'Orders from alerts', value: ordered, note: `${formatShare(ordered, clicked)} of those clicked` },
  ];
  return (
    <dl class="funnel">
      {steps.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{formatNumber(value)}</strong> {note && <span class="muted">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Totals({ totals }: { totals: RevenueTotalsFragment[] }) {
  return (
    <Table
      caption="Revenue by currency"
      rows={totals}
      keyOf={({ currency }) => currency}
      columns={[
        { label: 'Currency', cell: ({ currency }) => currency },
        { label: 'From alerts', number: ({ fromAlerts, currency }) => formatMoney(fromAlerts, currency) },
        { label: 'From lists', number: ({ fromLists, currency }) => formatMoney(fromLists, currency) },
        { label: 'All orders', number: ({ amount, currency }) => formatMoney(amount, currency) },
        { label: 'Orders', number: ({ orders }) => formatNumber(orders) },
      ]}
    />
  );
}

export function RevenueCard({ days }: { days: number }) {
  const revenue = useQuery(RevenueOverviewDocument, { from: firstDay(days) });
  return (
    <Card
      title="Revenue"
      note="Orders after a click on an alert, and of products from lists."
      aside={<a href={hrefTo('revenue')}>Details</a>}
    >
      <Loaded query={revenue}>
        {({ revenue: { totals, ...steps } }) =>
          totals.length === 0 ? (
            <NoOrders />
          ) : (
            <>
              <Funnel {...steps} />
              <Totals totals={totals} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

type Revenue = Answered<RevenueDetailsQuery>['revenue'];

const RANGES = ['7', '30', '90', '365'];

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
