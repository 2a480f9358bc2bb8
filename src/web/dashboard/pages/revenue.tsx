import * as gql from '../../../generated/dashboard.ts';
import { formatMoney, formatNumber, formatShare } from '../format.ts';
import { Card, CellNote, Empty, Facts, Loaded, Page, Table } from '../parts/layout.tsx';
import { Change, DAY, usePeriod } from '../parts/period.tsx';
import { CsvButton } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';
import { rich, t, topicName } from '../text.ts';
import type { TextKey } from '../text.ts';

const EXAMPLE = `curl -u "$PID:$KEY" "$BASE/storeadmin/v3/orders/report" \\
  -d orderId=1001 -d currency=EUR -d useremail=ada@example.com \\
  --data-urlencode 'lines=[{ "epi": 1001, "quantity": 1, "price": "49.50" }]'`;

const NO_ORDERS = (
  <>
    <Empty title={t('revenue.noOrders')}>
      {rich('revenue.noOrdersText', {
        link: <a href={hrefTo('integrations')}>{t('page.integrations')}</a>,
      })}
    </Empty>
    <pre class="preview-text payload">{EXAMPLE}</pre>
  </>
);

type Figures = gql.RevenueFiguresFragment;
type AmountField = 'fromAlerts' | 'fromLists' | 'amount';

function Funnel({ sent, clicked, ordered, previous, days }: Figures) {
  const step = (value: number, before: number, note = '') => (
    <>
      <strong>{formatNumber(value)}</strong> <span class="muted">{note}</span>
      <br />
      <Change now={value} before={before} days={days.length} isBrief />
    </>
  );
  const ofSent = sent > 0 ? t('revenue.ofSent', { share: formatShare(clicked, sent) }) : '';
  const ofClicked = clicked > 0 ? t('revenue.ofClicked', { share: formatShare(ordered, clicked) }) : '';
  return (
    <Facts
      kind="funnel"
      facts={{
        'revenue.sent': step(sent, previous.sent),
        'revenue.clicked': step(clicked, previous.clicked, ofSent),
        'revenue.ordered': step(ordered, previous.ordered, ofClicked),
      }}
    />
  );
}

function Totals({ totals, previous, days }: Figures) {
  const column = (label: TextKey, field: AmountField) => ({
    label,
    number: (total: gql.RevenueTotalsFragment) => {
      const { currency } = total;
      const before = previous.totals.find((one) => one.currency === currency)?.[field] ?? '0';
      return (
        <>
          {formatMoney(total[field], currency)}
          <CellNote>
            <Change now={Number(total[field])} before={Number(before)} days={days.length} isBrief />
          </CellNote>
        </>
      );
    },
  });
  return (
    <Table
      caption={t('revenue.byCurrency')}
      rows={totals}
      keyOf={({ currency }) => currency}
      columns={[
        { label: 'revenue.currency', cell: ({ currency }) => currency },
        column('revenue.fromAlerts', 'fromAlerts'),
        column('revenue.fromLists', 'fromLists'),
        column('revenue.allOrders', 'amount'),
        { label: 'revenue.orders', number: ({ orders }) => orders },
      ]}
      empty={NO_ORDERS}
    />
  );
}

export function RevenueCard({ period }: { period: gql.RevenueOverviewQueryVariables }) {
  const revenue = useQuery(gql.RevenueOverviewDocument, period);
  return (
    <Card
      title={t('page.revenue')}
      note={t('revenue.note')}
      aside={<a href={hrefTo('revenue')}>{t('revenue.details')}</a>}
    >
      <Loaded query={revenue}>
        {({ revenue: figures }) => (
          <>
            {figures.totals.length > 0 && <Funnel {...figures} />}
            <Totals {...figures} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

const PRESETS = ['7', '30', '90', '365'];

/** One line for each currency, or a dash. */
const amounts = <Field extends AmountField>(label: TextKey, field: Field) => ({
  label,
  number: ({ totals }: { totals: ({ currency: string } & Record<Field, string>)[] }) =>
    totals.length === 0
      ? '–'
      : totals.map((total) => <div key={total.currency}>{formatMoney(total[field], total.currency)}</div>),
});

export function RevenuePage() {
  const { fields, picker } = usePeriod(PRESETS);
  const details = useQuery(gql.RevenueDetailsDocument, fields);
  const shown = details.data?.revenue;
  const file = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? '')]));
  return (
    <Page
      title={t('page.revenue')}
      lead={shown && t('revenue.lead', { zone: shown.timeZone })}
      aside={
        <div class="card-buttons">
          {picker(shown)}
          <CsvButton path="revenue.csv" fields={file} />
        </div>
      }
    >
      <Loaded query={details} lines={8}>
        {({ revenue }) => (
          <>
            <Card title={t('revenue.funnel')}>
              <Funnel {...revenue} />
              <Totals {...revenue} />
            </Card>
            <Card
              title={t('revenue.byTopic')}
              aside={<a href={hrefTo('settings', 'clicks')}>{t('revenue.tracking')}</a>}
            >
              <Table
                caption={t('revenue.byTopicCaption')}
                rows={revenue.topics}
                keyOf={({ topic }) => topic}
                columns={[
                  { label: 'revenue.topic', cell: ({ topic }) => topicName(topic) },
                  { label: 'revenue.clicked', number: ({ clicked }) => clicked },
                  {
                    label: 'revenue.orders',
                    number: ({ totals }) => totals.reduce((sum, { orders }) => sum + orders, 0),
                  },
                  amounts('page.revenue', 'amount'),
                ]}
                empty={['revenue.noClicks', 'revenue.noClicksText']}
              />
            </Card>
            <Card title={t('revenue.byDay')}>
              <Table
                isDense
                caption={t('revenue.byDayCaption')}
                rows={revenue.days
                  .filter(({ sent, clicked, totals }) => sent + clicked + totals.length > 0)
                  .toReversed()}
                keyOf={({ day }) => day}
                columns={[
                  DAY,
                  { label: 'revenue.sentShort', number: ({ sent }) => sent },
                  { label: 'revenue.clickedShort', number: ({ clicked }) => clicked },
                  amounts('revenue.fromAlerts', 'fromAlerts'),
                  amounts('revenue.fromLists', 'fromLists'),
                  amounts('revenue.allOrders', 'amount'),
                ]}
                empty={['revenue.nothing']}
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
