import * as gql from '../../../generated/dashboard.ts';
import { formatPrice } from '../format.ts';
import { Choice, Segments, optionsOf } from '../parts/fields.tsx';
import { Page } from '../parts/layout.tsx';
import { SetStockButton, Stock, VariantName } from '../parts/product.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { useAddressPages, useQuery } from '../session.ts';
import { t } from '../text.ts';

const SORTS = optionsOf<gql.ProductSort>({
  newest: 'products.newest',
  waiting: 'products.byWaiting',
  lists: 'products.byLists',
  stock: 'products.byStock',
  title: 'products.title',
});
const STOCKS = optionsOf<string>({ '': 'common.all', out: 'products.soldOut' });

export function ProductsPage() {
  const { filters, bind } = useFilters(['q', 'stock', 'sort']);
  const { q, stock } = filters;
  const sort = oneOf(filters.sort, SORTS, 'newest');
  const setSort = (value: gql.ProductSort): void => bind('sort').onValue(value === 'newest' ? '' : value);
  const which = { search: q || null, soldOut: stock === 'out' };
  const products = useAddressPages(gql.ProductsDocument, { ...which, sort });
  const count = useQuery(gql.CountProductsDocument, which);
  const sortBy = (value: gql.ProductSort, isRising = false) => {
    const isOn = sort === value;
    return { isOn, isRising, onPick: () => setSort(isOn ? 'newest' : value) };
  };
  return (
    <Page title={t('page.products')} lead={t('products.lead')}>
      <TableCard
        title={t('products.catalogue')}
        note={count.data && t('products.count', { count: count.data.products.totalCount })}
        caption={t('products.caption')}
        isDense
        query={products}
        rowsOf={(data) => data.products}
        keyOf={({ epi }) => String(epi)}
        columns={[
          {
            label: 'products.variant',
            sort: sortBy('title', true),
            cell: (variant) => <VariantName {...variant} />,
          },
          { label: 'products.sku', cell: ({ sku }) => sku ?? '–' },
          { label: 'products.price', number: ({ pr }) => formatPrice(pr) },
          { label: 'products.stock', sort: sortBy('stock', true), number: ({ stk }) => <Stock stk={stk} /> },
          { label: 'products.waiting', sort: sortBy('waiting'), number: ({ waiting }) => waiting ?? 0 },
          { label: 'products.inLists', sort: sortBy('lists'), number: ({ inLists }) => inLists ?? 0 },
          { label: 'products.setStock', actions: (variant) => <SetStockButton {...variant} /> },
        ]}
        labels={[t('table.previous'), t('table.next')]}
        file={{ path: 'products.csv', fields: { search: q, soldOut: stock === 'out' ? 'true' : '' } }}
        filters={
          <>
            <SearchBox label={t('common.search')} placeholder={t('products.searchSample')} {...bind('q')} />
            <Choice label={t('products.order')} value={sort} options={SORTS} onValue={setSort} />
            <Segments label={t('products.stock')} options={STOCKS} {...bind('stock')} />
          </>
        }
        empty={[
          q || stock ? 'products.none' : 'products.empty',
          q ? 'products.searchHelp' : stock ? 'products.allInStock' : 'products.emptyText',
        ]}
      />
    </Page>
  );
}
