import * as gql from '../../../generated/dashboard.ts';
import { formatNumber, formatPrice, plural } from '../format.ts';
import { Choice, Segments, optionsOf } from '../parts/fields.tsx';
import { Page } from '../parts/layout.tsx';
import { SetStockButton, Stock, VariantName } from '../parts/product.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { useAddressPages, useQuery } from '../session.ts';

const SORTS = optionsOf<gql.ProductSort>({
  newest: 'Newest first',
  waiting: 'Most waited for',
  lists: 'In most lists',
  stock: 'Least stock',
  title: 'Title',
});
const STOCKS = optionsOf<string>({ '': 'All', out: 'Sold out' });

export function ProductsPage() {
  const { filters, change, bind } = useFilters(['q', 'stock', 'sort']);
  const { q, stock } = filters;
  const sort = oneOf(filters.sort, SORTS, 'newest');
  const setSort = (value: gql.ProductSort): void => change('sort', value === 'newest' ? '' : value);
  const which = { search: q || null, soldOut: stock === 'out' };
  const products = useAddressPages(gql.ProductsDocument, { ...which, sort });
  const count = useQuery(gql.CountProductsDocument, which);
  const reload = (): void => (products.reload(), count.reload());
  const sortBy = (value: gql.ProductSort, isRising = false) => {
    const isOn = sort === value;
    return { isOn, isRising, onPick: () => setSort(isOn ? 'newest' : value) };
  };
  return (
    <Page title="Products" lead="The catalogue as your platform's feed described it last.">
      <TableCard
        title="Catalogue"
        note={count.data && plural(count.data.products.totalCount, 'variant')}
        caption="Variants"
        isDense
        query={products}
        rowsOf={(data) => data.products}
        keyOf={({ epi }) => String(epi)}
        columns={[
          { label: 'Variant', sort: sortBy('title', true), cell: (variant) => <VariantName {...variant} /> },
          { label: 'SKU', cell: ({ sku }) => sku ?? '–' },
          { label: 'Price', number: ({ pr }) => formatPrice(pr) },
          { label: 'Stock', sort: sortBy('stock', true), number: ({ stk }) => <Stock stk={stk} /> },
          { label: 'Waiting', sort: sortBy('waiting'), number: ({ waiting }) => formatNumber(waiting ?? 0) },
          { label: 'In lists', sort: sortBy('lists'), number: ({ inLists }) => formatNumber(inLists ?? 0) },
          { label: 'Set stock', actions: (variant) => <SetStockButton {...variant} onDone={reload} /> },
        ]}
        labels={['Previous', 'Next']}
        file={{ path: 'products.csv', fields: { search: q, soldOut: stock === 'out' ? 'true' : '' } }}
        filters={
          <>
            <SearchBox label="Search" placeholder="Title, brand, SKU or id" {...bind('q')} />
            <Choice label="Order" value={sort} options={SORTS} onValue={setSort} />
            <Segments label="Stock" options={STOCKS} {...bind('stock')} />
          </>
        }
        empty={q || stock ? 'No variant fits' : 'The catalogue is empty'}
        emptyText={
          q
            ? 'Each word must be the beginning of a word of the product.'
            : stock
              ? 'Everything is in stock.'
              : 'Send your product feed to fill it.'
        }
      />
    </Page>
  );
}
