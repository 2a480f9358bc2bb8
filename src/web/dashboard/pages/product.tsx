import type { ComponentChildren } from 'preact';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber, formatPrice, plural } from '../format.ts';
import { Badge, Card, Empty, Facts, Loaded, Page, Table } from '../parts/layout.tsx';
import { SUBSCRIPTION, SetStockButton, Stock } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAddressPages, useQuery } from '../session.ts';

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
  const sentence = `Stock since ${formatMoment(from)}: at most ${formatNumber(Math.max(...stocks))}, at least ${formatNumber(Math.min(...stocks))}`;
  return (
    <figure class="stock-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={sentence}>
        <path class="stock-zero" d={`M0 ${y(0)}H${WIDTH}`} />
        <path d={line.join('')} />
      </svg>
      <figcaption class="muted">
        <span>{formatMoment(from)}</span>
        <span>at most {formatNumber(Math.max(...stocks))}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

const STATES: Record<string, string> = { open: 'under way', done: 'all queued', stopped: 'ended early' };
const CAUSES: Record<string, string> = {
  automatic: 'back in stock',
  manual: 'sent by hand',
  tag: 'tag added',
  pricedrop: 'price fell',
  lowstock: 'nearly gone',
};

const numberOf = (stock: number | null): string => (stock === null ? 'unknown' : formatNumber(stock));

function ChangeName({ before, after }: Change) {
  if (after === null) return <>Stock unknown</>;
  if (after <= 0) return (before ?? 1) > 0 ? <Badge tone="warn">sold out</Badge> : <>Stock changed</>;
  if ((before ?? 0) <= 0) return <Badge tone="good">in stock</Badge>;
  return <>{after > before! ? 'Stock rose' : 'Stock fell'}</>;
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
  what: `Alerts: ${CAUSES[cause] ?? cause}`,
  detail: [topic, ...(units > 0 ? [plural(units, 'unit')] : []), STATES[state] ?? state].join(' · '),
});

/** Alerts are listed above the change that triggered them. */
function History({ changes, occasions }: { changes: Change[]; occasions: Occasion[] }) {
  const entries = [...occasions.map(ofOccasion), ...changes.map(ofChange)].sort(
    (one, other) => other.at - one.at,
  );
  return (
    <Card
      title="History"
      note="Changes of stock of the last 90 days, and when alerts about this variant began in the last 30; the newest 50 of each."
    >
      <StockChart changes={changes} />
      <Table
        caption="Changes of stock and occasions for alerts, newest first"
        isDense
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          { label: 'What', cell: ({ what }) => what },
          { label: 'How', cell: ({ detail }) => detail },
          { label: 'When', cell: ({ at }) => formatMoment(at) },
        ]}
        empty="Nothing happened in the last 90 days"
      />
    </Card>
  );
}

type Product = NonNullable<gql.ProductQuery['product']>;

function ShopLink({ uri }: { uri: string }) {
  if (!/^https?:\/\//.test(uri)) return <>{uri}</>;
  return (
    <a href={uri} target="_blank" rel="noreferrer noopener">
      Open in the shop<span class="visually-hidden"> (new tab)</span>
    </a>
  );
}

function About({ product, onDone }: { product: Product; onDone: () => void }) {
  const { epi, empi, bt, vi, sku, uri, stk, pr, tags, cts, uts, waiting, wishlisted, inLists } = product;
  return (
    <Card title="Variant" aside={<SetStockButton {...product} onDone={onDone} />}>
      <Facts
        facts={[
          ['Stock', <Stock stk={stk} />],
          ['Waiting', plural(waiting ?? 0, 'contact')],
          ['In lists', formatNumber(inLists ?? 0)],
          ['Shoppers who have it in a list', formatNumber(wishlisted ?? 0)],
          ['Price', formatPrice(pr)],
          ['Variant', vi || '–'],
          ['Brand', bt ?? '–'],
          ['SKU', sku ?? '–'],
          ['Variant id', String(epi)],
          ['Product id', <a href={hrefTo('products', '', { q: String(empi) })}>{String(empi)}</a>],
          ['Tags', tags.join(', ') || '–'],
          ['First seen', formatMoment(cts)],
          ['Last change', formatMoment(uts)],
          ['Page', <ShopLink uri={uri} />],
        ]}
      />
    </Card>
  );
}

function Subscribers({ epi }: { epi: string }) {
  const waiting = useAddressPages(gql.ProductWaitingDocument, { epi });
  return (
    <TableCard
      title="Who waits"
      note={waiting.data && plural(waiting.data.subscriptions.totalCount, 'subscription')}
      caption="Subscriptions to this variant"
      isDense
      query={waiting}
      rowsOf={(data) => data.subscriptions}
      keyOf={({ id }) => id}
      columns={[SUBSCRIPTION.contact, SUBSCRIPTION.topic, SUBSCRIPTION.state, SUBSCRIPTION.since]}
      empty="Nobody waits for this variant"
    />
  );
}

export function ProductPage({ epi }: { epi: string }) {
  const query = useQuery(gql.ProductDocument, { epi });
  return (
    <Page
      title={query.data?.product?.dt || `Variant ${epi}`}
      lead={<a href={hrefTo('products')}>All products</a>}
    >
      <Loaded query={query} lines={6}>
        {({ product, stockChanges, occasions }) => (
          <>
            {product ? (
              <About product={product} onDone={query.reload} />
            ) : (
              <Empty title="The catalogue does not know this variant">It may have been removed.</Empty>
            )}
            <Subscribers epi={epi} />
            <History changes={stockChanges} occasions={occasions} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
