import { ProductDocument, ProductWaitingDocument } from '../../../generated/dashboard.ts';
import type { ProductQuery } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber, formatPrice, plural } from '../format.ts';
import { Card, Empty, Facts, Loaded, Page } from '../parts/layout.tsx';
import { History } from '../parts/product-history.tsx';
import { SUBSCRIPTION, SetStockButton, Stock } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAddressPages, useQuery } from '../session.ts';

type Product = NonNullable<ProductQuery['product']>;

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
  const waiting = useAddressPages(ProductWaitingDocument, { epi });
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
  const query = useQuery(ProductDocument, { epi });
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
