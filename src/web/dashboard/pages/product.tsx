import { useState } from 'preact/hooks';
import { ProductDocument, ProductWaitingDocument } from '../../../generated/dashboard.ts';
import type { ProductQuery } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber, formatPrice, plural } from '../format.ts';
import { Browse } from '../parts/browse.tsx';
import { Facts } from '../parts/facts.tsx';
import { Badge, Empty, Loaded } from '../parts/feedback.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { useAddressTrail } from '../parts/pager.tsx';
import { History } from '../parts/product-history.tsx';
import { Stock } from '../parts/product.tsx';
import { SetStock, SetStockButton } from '../parts/set-stock.tsx';
import type { Variant } from '../parts/set-stock.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

type Product = NonNullable<ProductQuery['product']>;

function ShopLink({ uri }: { uri: string }) {
  if (!/^https?:\/\//.test(uri)) return <>{uri}</>;
  return (
    <a href={uri} target="_blank" rel="noreferrer noopener">
      Open in the shop<span class="visually-hidden"> (new tab)</span>
    </a>
  );
}

function About({ product, onPick }: { product: Product; onPick: (variant: Variant) => void }) {
  const { epi, empi, bt, vi, sku, uri, stk, pr, tags, cts, uts, waiting, wishlisted, inLists } = product;
  return (
    <Card
      title="Variant"
      aside={<SetStockButton product={{ ...product, waiting: waiting ?? 0 }} onPick={onPick} />}
    >
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

function Waiting({ epi }: { epi: string }) {
  const { after } = useAddressTrail();
  const waiting = useQuery(ProductWaitingDocument, { epi, after });
  return (
    <Browse
      title="Who waits"
      note={waiting.data && plural(waiting.data.subscriptions.totalCount, 'subscription')}
      caption="Subscriptions to this variant"
      query={waiting}
      rowsOf={(data) => data.subscriptions}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
        { label: 'Topic', cell: ({ topic }) => topic },
        {
          label: 'State',
          cell: ({ confirmed }) =>
            confirmed ? <Badge tone="good">confirmed</Badge> : <Badge>to be confirmed</Badge>,
        },
        { label: 'Since', cell: ({ cts }) => formatMoment(cts) },
      ]}
      empty={<Empty title="Nobody waits for this variant" />}
    />
  );
}

/** One variant: what it is, who waits for it, and what happened. */
export function ProductPage({ epi }: { epi: string }) {
  const query = useQuery(ProductDocument, { epi });
  const [chosen, setChosen] = useState<Variant | null>(null);
  const product = query.data?.product ?? null;
  return (
    <>
      <PageHead
        title={product?.dt || `Variant ${epi}`}
        lead={<a href={hrefTo('products')}>All products</a>}
      />
      <Loaded query={query} lines={6}>
        {({ product: found, stockChanges, occasions }) => (
          <>
            {found ? (
              <About product={found} onPick={setChosen} />
            ) : (
              <Empty title="The catalogue does not know this variant">It may have been removed.</Empty>
            )}
            <Waiting epi={epi} />
            <History changes={stockChanges} occasions={occasions} />
          </>
        )}
      </Loaded>
      {chosen && (
        <SetStock
          variant={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null);
            query.reload();
          }}
        />
      )}
    </>
  );
}
