import type { WaitingDemandQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import type { Query } from '../session.ts';
import { Empty } from './feedback.tsx';
import { VariantName } from './product.tsx';
import { SetStockButton } from './set-stock.tsx';
import { TableCard } from './table-card.tsx';

type Props = { demand: Query<Answered<WaitingDemandQuery>>; onRestocked: () => void };

/** Sold-out variants by how many wait for them, each with a way to restock it. */
export function WaitingDemand({ demand, onRestocked }: Props) {
  return (
    <TableCard
      title="Waiting demand"
      note="Sold-out variants that most contacts wait for."
      aside={<a href={hrefTo('products', '', { stock: 'out', sort: 'waiting' })}>All</a>}
      caption="Waiting demand by variant"
      isDense
      query={demand}
      rowsOf={({ waitingDemand }) => waitingDemand}
      keyOf={({ epi }) => String(epi)}
      columns={[
        { label: 'Variant', cell: (variant) => <VariantName {...variant} /> },
        { label: 'Waiting', number: ({ waiting }) => formatNumber(waiting) },
        { label: 'Restock', actions: (variant) => <SetStockButton variant={variant} onDone={onRestocked} /> },
      ]}
      empty={
        <Empty title="Nobody is waiting">A sold-out variant appears here with its first subscriber.</Empty>
      }
    />
  );
}
