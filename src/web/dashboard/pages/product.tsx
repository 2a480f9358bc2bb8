import type { ComponentChildren } from 'preact';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber, formatPrice } from '../format.ts';
import { Badge, Card, Empty, Facts, Loaded, Page, Table } from '../parts/layout.tsx';
import { SUBSCRIPTION, SetStockButton, Stock } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAddressPages, useQuery } from '../session.ts';
import { find, t, topicName } from '../text.ts';

type Occasion = Answered<gql.ProductQuery>['occasions'][number];
type Change = Answered<gql.ProductQuery>['stockChanges'][number];
type Entry = { id: string; at: number; what: ComponentChildren; detail: string };

const WIDTH = 1_000;
const HEIGHT = 100;
const MARGIN = 4;

/** Stock over time, oldest first; unknown stock is a gap. The changes are ordered newest first. */
function stepsOf(changes: Change[], now: number): { from: number; to: number; stock: number }[] {
  const rising = [...changes].reverse();
  return rising.flatMap(({ at, after }, index) =>
    after === null ? [] : [{ from: at, to: rising[index + 1]?.at ?? now, stock: after }],
  );
}

/** Screen readers get one sentence; the table below has every number. */
function StockChart({ changes }: { changes: Change[] }) {
  const now = Math.max(Date.now(), ...changes.map(({ at }) => at));
  const steps = stepsOf(changes, now);
  if (changes.length < 2 || steps.length === 0) return null;
  const [from, stocks] = [changes.at(-1)!.at, steps.map(({ stock }) => stock)];
  const [least, most] = [Math.min(0, ...stocks), Math.max(1, ...stocks)];
  const x = (at: number): number => Math.round(((at - from) / Math.max(1, now - from)) * WIDTH);
  const y = (stock: number): number =>
    Math.round(HEIGHT - MARGIN - ((stock - least) / (most - least)) * (HEIGHT - 2 * MARGIN));
  const line = steps.map((step, index) => {
    const isGap = steps[index - 1]?.to !== step.from;
    return `${isGap ? `M${x(step.from)} ${y(step.stock)}` : `V${y(step.stock)}`}H${x(step.to)}`;
  });
  const range = { date: formatMoment(from), most: Math.max(...stocks), least: Math.min(...stocks) };
  return (
    <figure class="stock-chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('product.chart', range)}
      >
        <path class="stock-zero" d={`M0 ${y(0)}H${WIDTH}`} />
        <path d={line.join('')} />
      </svg>
      <figcaption class="muted">
        <span>{formatMoment(from)}</span>
        <span>{t('product.maximum', range)}</span>
        <span>{t('product.now')}</span>
      </figcaption>
    </figure>
  );
}

const numberOf = (stock: number | null): string =>
  stock === null ? t('common.unknown') : formatNumber(stock);

function ChangeName({ before, after }: Change) {
  if (after === null) return <>{t('product.stockUnknown')}</>;
  if (after <= 0 && (before ?? 1) > 0) return <Badge tone="warn">{t('products.soldOut')}</Badge>;
  if (after <= 0) return <>{t('product.stockChanged')}</>;
  if ((before ?? 0) <= 0) return <Badge tone="good">{t('products.inStock')}</Badge>;
  return <>{t(after > before! ? 'product.stockUp' : 'product.stockDown')}</>;
}

const ofChange = (change: Change): Entry => ({
  id: `stock ${change.id}`,
  at: change.at,
  what: <ChangeName {...change} />,
  detail: `${numberOf(change.before)} → ${numberOf(change.after)}`,
});

const ofOccasion = ({ id, topic, cause, state, units, openedAt }: Occasion): Entry => ({
  id: `alerts ${id}`,
  at: openedAt,
  what: find(`product.cause.${cause}`) ?? cause,
  detail: [
    topicName(topic),
    ...(units > 0 ? [t('product.unitCount', { count: units })] : []),
    t(`product.state.${state}`),
  ].join(' · '),
});

/** Alerts are listed above the change that triggered them. */
function History({ changes, occasions }: { changes: Change[]; occasions: Occasion[] }) {
  const entries = [...occasions.map(ofOccasion), ...changes.map(ofChange)].sort(
    (one, other) => other.at - one.at,
  );
  return (
    <Card title={t('product.history')} note={t('product.historyNote')}>
      <StockChart changes={changes} />
      <Table
        caption={t('product.historyCaption')}
        isDense
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          { label: 'table.event', cell: ({ what }) => what },
          { label: 'table.details', cell: ({ detail }) => detail },
          { label: 'table.when', time: ({ at }) => at },
        ]}
        empty={['product.noHistory']}
      />
    </Card>
  );
}

type Product = NonNullable<gql.ProductQuery['product']>;

function ShopLink({ uri }: { uri: string }) {
  if (!/^https?:\/\//.test(uri)) return <>{uri}</>;
  return (
    <a href={uri} target="_blank" rel="noreferrer noopener">
      {t('product.open')}
      <span class="visually-hidden"> {t('product.newTab')}</span>
    </a>
  );
}

function About(product: Product) {
  const { epi, empi, bt, vi, sku, uri, stk, pr, tags, cts, uts, waiting, wishlisted, inLists } = product;
  return (
    <Card title={t('products.variant')} aside={<SetStockButton {...product} />}>
      <Facts
        facts={{
          'products.stock': <Stock stk={stk} />,
          'products.waiting': t('product.contacts', { count: waiting ?? 0 }),
          'products.inLists': inLists ?? 0,
          'product.shoppersWithIt': wishlisted ?? 0,
          'products.price': formatPrice(pr),
          'products.variant': vi,
          'product.brand': bt,
          'products.sku': sku,
          'product.epi': String(epi),
          'product.empi': <a href={hrefTo('products', '', { q: String(empi) })}>{String(empi)}</a>,
          'product.tags': tags.join(', '),
          'product.firstSeen': formatMoment(cts),
          'product.lastChange': formatMoment(uts),
          'product.page': <ShopLink uri={uri} />,
        }}
      />
    </Card>
  );
}

export function ProductPage({ epi }: { epi: string }) {
  const query = useQuery(gql.ProductDocument, { epi });
  const waiting = useAddressPages(gql.ProductWaitingDocument, { epi });
  return (
    <Page
      title={query.data?.product?.dt || t('product.variantId', { id: epi })}
      lead={<a href={hrefTo('products')}>{t('product.all')}</a>}
    >
      <Loaded query={query} lines={6}>
        {({ product, stockChanges, occasions }) => (
          <>
            {product ? (
              <About {...product} />
            ) : (
              <Empty title={t('product.notFound')}>{t('product.notFoundText')}</Empty>
            )}
            <TableCard
              title={t('product.subscribers')}
              note={
                waiting.data &&
                t('product.subscriptionCount', { count: waiting.data.subscriptions.totalCount })
              }
              caption={t('product.subscribersCaption')}
              isDense
              query={waiting}
              rowsOf={(data) => data.subscriptions}
              keyOf={({ id }) => id}
              columns={SUBSCRIPTION}
              empty={['product.noSubscribers']}
            />
            <History changes={stockChanges} occasions={occasions} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
