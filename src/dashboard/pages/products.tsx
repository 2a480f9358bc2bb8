import { useEffect, useState } from 'preact/hooks';
import { ProductsDocument } from '../../generated/dashboard.ts';
import { Badge, Empty, Loaded } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { Pager, useTrail } from '../parts/pager.tsx';
import { ProductName } from '../parts/product.tsx';
import { SetStock, SetStockButton } from '../parts/set-stock.tsx';
import type { Variant } from '../parts/set-stock.tsx';
import { formatNumber } from '../format.ts';
import { useQuery } from '../session.ts';

const TYPING_PAUSE_MS = 250;

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Stock({ stk }: { stk: number | null }) {
  if (stk === null) return <Badge>unknown</Badge>;
  return stk > 0 ? <>{formatNumber(stk)}</> : <Badge tone="warn">sold out</Badge>;
}

/** The catalogue: find a variant, see and set its stock. */
export function ProductsPage() {
  const [text, setText] = useState('');
  const search = useSettled(text.trim());
  const trail = useTrail(search);
  const products = useQuery(ProductsDocument, { search: search || null, after: trail.after });
  const [chosen, setChosen] = useState<Variant | null>(null);
  return (
    <>
      <PageHead title="Products" lead="The catalogue as your platform's feed described it last." />
      <Card title="Catalogue">
        <TextField
          label="Search"
          type="search"
          value={text}
          onValue={setText}
          placeholder="Title, brand, SKU or id"
        />
        <Loaded query={products} lines={6}>
          {({ products: { edges, pageInfo } }) => (
            <>
              {edges.length === 0 ? (
                <Empty title={search ? 'No variant fits' : 'The catalogue is empty'}>
                  {search
                    ? 'Each word must be the beginning of a word of the product.'
                    : 'Send your product feed to fill it.'}
                </Empty>
              ) : (
                <Table
                  caption="Variants"
                  rows={edges.map(({ node }) => node)}
                  keyOf={({ epi }) => String(epi)}
                  columns={[
                    {
                      label: 'Variant',
                      cell: ({ epi, dt, vi, iu }) => <ProductName dt={dt} vi={vi} iu={iu} id={epi} />,
                    },
                    { label: 'SKU', cell: ({ sku }) => sku ?? '–' },
                    { label: 'Price', isNumber: true, cell: ({ pr }) => (pr === null ? '–' : pr.toFixed(2)) },
                    { label: 'Stock', isNumber: true, cell: ({ stk }) => <Stock stk={stk} /> },
                    {
                      label: 'Set stock',
                      isAction: true,
                      cell: (product) => <SetStockButton product={product} onPick={setChosen} />,
                    },
                  ]}
                />
              )}
              <Pager
                trail={trail}
                pageInfo={pageInfo}
                isStale={products.isStale}
                labels={['Previous', 'Next']}
              />
            </>
          )}
        </Loaded>
      </Card>
      {chosen && (
        <SetStock
          variant={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null);
            products.reload();
          }}
        />
      )}
    </>
  );
}
