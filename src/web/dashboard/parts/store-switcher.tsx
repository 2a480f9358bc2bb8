import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { PickStoreDocument } from '../../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import { SessionContext, useDialog, useQuery, useSession } from '../session.ts';
import { leaveWith } from '../unsaved.tsx';
import { Dialog, DialogHost } from './dialog.tsx';
import { Badge, Button, Empty, Loaded } from './layout.tsx';
import { useSearch } from './table-card.tsx';

/** The children call as the operator, not for the chosen store. */
export function AsOperator({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const own = useMemo(() => ({ ...session, run: session.operator!.run }), [session]);
  return (
    <SessionContext.Provider value={own}>
      <DialogHost>{children}</DialogHost>
    </SessionContext.Provider>
  );
}

type Marked = { pid: string; isDemo: boolean; maintenance: boolean };

export function StoreBadges({ store: { pid, isDemo, maintenance } }: { store: Marked }) {
  const { pid: current } = useSession();
  return (
    <>
      {isDemo && <Badge>demo</Badge>} {maintenance && <Badge tone="warn">closed</Badge>}{' '}
      {pid === current && <Badge tone="good">open now</Badge>}
    </>
  );
}

function Picker() {
  const { pid: current, operator } = useSession();
  const { close } = useDialog();
  const { search, box } = useSearch();
  const found = useQuery(PickStoreDocument, { search: search || null });
  return (
    <Dialog title="Switch store">
      {box}
      <Loaded query={found} lines={4}>
        {({ stores: { edges, totalCount } }) => (
          <>
            {edges.length === 0 && <Empty title="No store fits" />}
            <ul class="plain-list store-choices">
              {edges.map(({ node }) => (
                <li key={node.pid}>
                  <button
                    type="button"
                    class="secondary outline"
                    aria-current={node.pid === current ? 'true' : undefined}
                    onClick={() => (close(), leaveWith(() => operator!.choose(node)))}
                  >
                    <span>{node.name}</span>
                    <StoreBadges store={node} />
                  </button>
                </li>
              ))}
            </ul>
            {totalCount > edges.length && (
              <p class="muted">
                {formatNumber(totalCount - edges.length)} more: search, or see{' '}
                <a href={hrefTo('stores')} onClick={close}>
                  all stores
                </a>
                .
              </p>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

export function StoreSwitcher() {
  return (
    <AsOperator>
      <Button text="Switch store" look="small secondary outline switcher" opens={<Picker />} />
    </AsOperator>
  );
}
