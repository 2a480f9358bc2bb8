import * as gql from '../../../generated/dashboard.ts';
import { formatDay, formatMoney, formatNumber, formatShare } from '../format.ts';
import { Card, Empty, Facts, Loaded, Page, Table } from '../parts/layout.tsx';
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

const NO_ORDERS = (
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

function Funnel({ sent, clicked, ordered }: { sent: number; clicked: number; ordered: number }) {
  const step = (value: number, note = '') => (
    <>
      <strong>{formatNumber(value)}</strong> <span class="muted">{note}</span>
    </>
  );
  return (
    <Facts
      kind="funnel"
      facts={[
        ['Alerts sent', step(sent)],
        ['Alerts clicked', step(clicked, `${formatShare(clicked, sent)} of those sent`)],
        ['Orders from alerts', step(ordered, `${formatShare(ordered, clicked)} of those clicked`)],
      ]}
    />
  );
}

function Totals({ totals }: { totals: gql.RevenueTotalsFragment[] }) {
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
      empty={NO_ORDERS}
    />
  );
}

export function RevenueCard({ days }: { days: number }) {
  const revenue = useQuery(gql.RevenueOverviewDocument, { from: firstDay(days) });
  return (
    <Card
      title="Revenue"
      note="Orders after a click on an alert, and of products from lists."
      aside={<a href={hrefTo('revenue')}>Details</a>}
    >
      <Loaded query={revenue}>
        {({ revenue: { totals, ...steps } }) => (
          <>
            {totals.length > 0 && <Funnel {...steps} />}
            <Totals totals={totals} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

const RANGES = ['7', '30', '90', '365'];

/** One line for each currency, or a dash. */
function amountsOf<Total extends { currency: string }>(totals: Total[], amountOf: (total: Total) => string) {
  if (totals.length === 0) return '–';
  return totals.map((total) => (
    <div key={total.currency}>{formatMoney(amountOf(total), total.currency)}</div>
  ));
}

export function RevenuePage() {
  const { days, picker } = useDays(RANGES);
  const details = useQuery(gql.RevenueDetailsDocument, { from: firstDay(days) });
  return (
    <Page
      title="Revenue"
      lead="Days are in UTC, as the orders were placed. A line from an alert does not count as from a list, too."
      aside={
        <div class="card-buttons">
          {picker}
          <CsvButton path="revenue.csv" fields={{ from: firstDay(days) }} />
        </div>
      }
    >
      <Loaded query={details} lines={8}>
        {({ revenue }) => (
          <>
            <Card title="From alert to order">
              <Funnel {...revenue} />
              <Totals totals={revenue.totals} />
            </Card>
            <Card title="By topic" aside={<a href={hrefTo('settings', 'measuring')}>What is measured</a>}>
              <Table
                caption="Revenue by topic"
                rows={revenue.topics}
                keyOf={({ topic }) => topic}
                columns={[
                  { label: 'Topic', cell: ({ topic }) => topic },
                  { label: 'Alerts clicked', number: ({ clicked }) => formatNumber(clicked) },
                  {
                    label: 'Orders',
                    number: ({ totals }) => formatNumber(totals.reduce((sum, { orders }) => sum + orders, 0)),
                  },
                  { label: 'Revenue', number: ({ totals }) => amountsOf(totals, ({ amount }) => amount) },
                ]}
                empty="No alert was clicked in these days"
                emptyText="Each topic appears with its first click."
              />
            </Card>
            <Card title="By day">
              <Table
                isDense
                caption="Revenue by day, newest first; days without any are left out"
                rows={revenue.days
                  .filter(({ sent, clicked, totals }) => sent + clicked + totals.length > 0)
                  .toReversed()}
                keyOf={({ day }) => day}
                columns={[
                  { label: 'Day', cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
                  { label: 'Alerts sent', number: ({ sent }) => formatNumber(sent) },
                  { label: 'Alerts clicked', number: ({ clicked }) => formatNumber(clicked) },
                  {
                    label: 'From alerts',
                    number: ({ totals }) => amountsOf(totals, (one) => one.fromAlerts),
                  },
                  { label: 'From lists', number: ({ totals }) => amountsOf(totals, (one) => one.fromLists) },
                  { label: 'All orders', number: ({ totals }) => amountsOf(totals, (one) => one.amount) },
                ]}
                empty="Nothing happened in these days"
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
