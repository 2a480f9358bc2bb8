import { useState } from 'preact/hooks';
import { WaitingDemandDocument } from '../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { useQuery } from '../session.ts';
import { Empty, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import { ProductName } from './product.tsx';
import { SetStock, SetStockButton } from './set-stock.tsx';
import type { Variant } from './set-stock.tsx';

/** Sold-out variants by how many wait for them, each with a way to restock it. */
export function WaitingDemand() {
  const demand = useQuery(WaitingDemandDocument, { first: 10 });
  const [chosen, setChosen] = useState<Variant | null>(null);
  return (
    <Card title="Waiting demand" note="Sold-out variants that most contacts wait for.">
      <Loaded query={demand}>
        {({ waitingDemand }) =>
          waitingDemand.length === 0 ? (
            <Empty title="Nobody is waiting">
              A sold-out variant appears here with its first subscriber.
            </Empty>
          ) : (
            <Table
              caption="Waiting demand by variant"
              rows={waitingDemand}
              keyOf={({ epi }) => String(epi)}
              columns={[
                {
                  label: 'Variant',
                  cell: ({ epi, dt, vi, iu }) => <ProductName dt={dt} vi={vi} iu={iu} id={epi} />,
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
            demand.reload();
          }}
        />
      )}
    </Card>
  );
}
