import { useState } from 'preact/hooks';
import { CountProductsDocument, ProductsDocument } from '../../../generated/dashboard.ts';
import type { ProductSort, ProductsQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatNumber, formatPrice, plural } from '../format.ts';
import { Browse, SearchBox, useFilters } from '../parts/browse.tsx';
import { Empty } from '../parts/feedback.tsx';
import { Choice, Segments } from '../parts/fields.tsx';
import { PageHead } from '../parts/layout.tsx';
import type { Column } from '../parts/layout.tsx';
import { useAddressTrail } from '../parts/pager.tsx';
import { ProductName, Stock } from '../parts/product.tsx';
import { SetStock, SetStockButton } from '../parts/set-stock.tsx';
import type { Variant } from '../parts/set-stock.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

type Product = Answered<ProductsQuery>['products']['edges'][number]['node'];

const SORTS: { value: ProductSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'waiting', label: 'Most waited for' },
  { value: 'lists', label: 'In most lists' },
  { value: 'stock', label: 'Least stock' },
  { value: 'title', label: 'Title' },
];
const STOCKS = [
  { value: '', label: 'All' },
  { value: 'out', label: 'Sold out' },
];

const isSort = (text: string): text is ProductSort => SORTS.some(({ value }) => value === text);

/** The catalogue: find a variant, see who wants it, set its stock. */
export function ProductsPage() {
  const [{ q, stock, sort: given }, change] = useFilters(['q', 'stock', 'sort']);
  const sort = isSort(given) ? given : 'newest';
  const { after } = useAddressTrail();
  const which = { search: q || null, soldOut: stock === 'out' };
  const products = useQuery(ProductsDocument, { ...which, sort, after });
  const count = useQuery(CountProductsDocument, which);
  const [chosen, setChosen] = useState<Variant | null>(null);
  const sortBy = (value: ProductSort, isRising: boolean) => ({
    isOn: sort === value,
    isRising,
    onPick: () => change({ sort: sort === value ? '' : value }),
  });
  const columns: Column<Product>[] = [
    {
      label: 'Variant',
      sort: sortBy('title', true),
      cell: ({ epi, dt, vi, iu }) => (
        <ProductName dt={dt} vi={vi} iu={iu} id={epi} href={hrefTo('products', String(epi))} />
      ),
    },
    { label: 'SKU', cell: ({ sku }) => sku ?? '–' },
    { label: 'Price', isNumber: true, cell: ({ pr }) => formatPrice(pr) },
    { label: 'Stock', isNumber: true, sort: sortBy('stock', true), cell: ({ stk }) => <Stock stk={stk} /> },
    {
      label: 'Waiting',
      isNumber: true,
      sort: sortBy('waiting', false),
      cell: ({ waiting }) => formatNumber(waiting ?? 0),
    },
    {
      label: 'In lists',
      isNumber: true,
      sort: sortBy('lists', false),
      cell: ({ inLists }) => formatNumber(inLists ?? 0),
    },
    {
      label: 'Set stock',
      isAction: true,
      cell: ({ waiting, ...product }) => (
        <SetStockButton product={{ ...product, waiting: waiting ?? 0 }} onPick={setChosen} />
      ),
    },
  ];
  return (
    <>
      <PageHead title="Products" lead="The catalogue as your platform's feed described it last." />
      <Browse
        title="Catalogue"
        note={count.data && plural(count.data.products.totalCount, 'variant')}
        caption="Variants"
        query={products}
        rowsOf={(data) => data.products}
        keyOf={({ epi }) => String(epi)}
        columns={columns}
        labels={['Previous', 'Next']}
        file={{ path: 'products.csv', fields: { search: q, soldOut: stock === 'out' ? 'true' : '' } }}
        filters={
          <>
            <SearchBox
              label="Search"
              placeholder="Title, brand, SKU or id"
              value={q}
              onValue={(value) => change({ q: value }, true)}
            />
            <Choice
              label="Order"
              value={sort}
              options={SORTS}
              onValue={(value) => change({ sort: value === 'newest' ? '' : value })}
            />
            <Segments
              label="Stock"
              value={stock}
              options={STOCKS}
              onValue={(value) => change({ stock: value })}
            />
          </>
        }
        empty={
          <Empty title={q || stock ? 'No variant fits' : 'The catalogue is empty'}>
            {q
              ? 'Each word must be the beginning of a word of the product.'
              : stock
                ? 'Everything is in stock.'
                : 'Send your product feed to fill it.'}
          </Empty>
        }
      />
      {chosen && (
        <SetStock
          variant={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null);
            products.reload();
            count.reload();
          }}
        />
      )}
    </>
  );
}
