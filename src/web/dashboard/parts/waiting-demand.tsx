import { useState } from 'preact/hooks';
import type { WaitingDemandQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import type { Query } from '../session.ts';
import { Empty, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import { ProductName } from './product.tsx';
import { SetStock, SetStockButton } from './set-stock.tsx';
import type { Variant } from './set-stock.tsx';

/** Sold-out variants by how many wait for them, each with a way to restock it. */
export function WaitingDemand({
  demand,
  onRestocked,
}: {
  demand: Query<Answered<WaitingDemandQuery>>;
  onRestocked: () => void;
}) {
  const [chosen, setChosen] = useState<Variant | null>(null);
  return (
    <Card
      title="Waiting demand"
      note="Sold-out variants that most contacts wait for."
      aside={<a href={hrefTo('products', '', { stock: 'out', sort: 'waiting' })}>All</a>}
    >
      <Loaded query={demand}>
        {({ waitingDemand }) =>
          waitingDemand.length === 0 ? (
            <Empty title="Nobody is waiting">
              A sold-out variant appears here with its first subscriber.
            </Empty>
          ) : (
            <Table
              caption="Waiting demand by variant"
              isDense
              rows={waitingDemand}
              keyOf={({ epi }) => String(epi)}
              columns={[
                {
                  label: 'Variant',
                  cell: ({ epi, dt, vi, iu }) => (
                    <ProductName dt={dt} vi={vi} iu={iu} id={epi} href={hrefTo('products', String(epi))} />
                  ),
                },
                { label: 'Waiting', isNumber: true, cell: ({ waiting }) => formatNumber(waiting) },
                {
                  label: 'Restock',
                  isAction: true,
                  cell: (product) => <SetStockButton product={product} onPick={setChosen} />,
                },
              ]}
            />
          )
        }
      </Loaded>
      {chosen && (
        <SetStock
          variant={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            setChosen(null);
            onRestocked();
          }}
        />
      )}
    </Card>
  );
}
