import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { PickStoreDocument } from '../../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import { SessionContext, useQuery, useSession } from '../session.ts';
import { leaveWith } from '../unsaved.tsx';
import { Dialog } from './dialog.tsx';
import { Badge, Empty, Loaded } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { useSettled } from './settled.ts';

/** What is inside asks as the operator, not for the store it acts for. */
export function AsOperator({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const own = useMemo(() => ({ ...session, run: session.operator!.run }), [session]);
  return <SessionContext.Provider value={own}>{children}</SessionContext.Provider>;
}

function Picker({ onClose }: { onClose: () => void }) {
  const { pid: current, operator } = useSession();
  const [text, setText] = useState('');
  const search = useSettled(text.trim());
  const found = useQuery(PickStoreDocument, { search: search || null });
  return (
    <>
      <TextField label="Search" type="search" value={text} onValue={setText} placeholder="Name or pid" />
      <Loaded query={found} lines={4}>
        {({ stores: { edges, totalCount } }) =>
          edges.length === 0 ? (
            <Empty title="No store fits" />
          ) : (
            <>
              <ul class="store-choices">
                {edges.map(({ node }) => (
                  <li key={node.pid}>
                    <button
                      type="button"
                      class="secondary outline"
                      aria-current={node.pid === current ? 'true' : undefined}
                      onClick={() => (onClose(), leaveWith(() => operator!.choose(node)))}
                    >
                      <span>{node.name}</span>
                      {node.isDemo && <Badge>demo</Badge>}
                      {node.maintenance && <Badge tone="warn">closed</Badge>}
                      {node.pid === current && <Badge tone="good">open now</Badge>}
                    </button>
                  </li>
                ))}
              </ul>
              {totalCount > edges.length && (
                <p class="muted">
                  {formatNumber(totalCount - edges.length)} more: search, or see{' '}
                  <a href={hrefTo('stores')} onClick={onClose}>
                    all stores
                  </a>
                  .
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Lets an operator act for another store, from any page. */
export function StoreSwitcher() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="small secondary outline switcher"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        Switch store
      </button>
      {isOpen && (
        <Dialog title="Switch store" onClose={() => setOpen(false)}>
          <AsOperator>
            <Picker onClose={() => setOpen(false)} />
          </AsOperator>
        </Dialog>
      )}
    </>
  );
}
