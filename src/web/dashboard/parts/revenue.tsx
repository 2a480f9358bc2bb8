import { RevenueOverviewDocument } from '../../../generated/dashboard.ts';
import type { RevenueTotalsFragment } from '../../../generated/dashboard.ts';
import { formatMoney, formatNumber, formatShare } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';
import { Empty, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';

const DAY_MS = 24 * 3_600_000;

/** The first of the last `days` days, in UTC as the service counts them. */
export const firstDay = (days: number): string =>
  new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);

const EXAMPLE = `curl -u "$PID:$KEY" "$BASE/storeadmin/v3/orders/report" \\
  -d orderId=1001 -d currency=EUR -d useremail=ada@example.com \\
  --data-urlencode 'lines=[{ "epi": 1001, "quantity": 1, "price": "49.50" }]'`;

export function NoOrders() {
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

export function Funnel({ sent, clicked, ordered }: { sent: number; clicked: number; ordered: number }) {
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

export function Totals({ totals }: { totals: RevenueTotalsFragment[] }) {
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
