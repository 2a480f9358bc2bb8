import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { StoreInfo } from '../api.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { CopyField, Dialog, DialogHost } from '../parts/dialog.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Badge, Button, Empty, Loaded, Page } from '../parts/layout.tsx';
import { TableCard, useSearch } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { SessionContext, useDialog, usePages, useQuery, useSession } from '../session.ts';
import { rich, t } from '../text.ts';
import { leaveWith } from '../unsaved.tsx';

/** The children call as the operator, not for the chosen store. */
function AsOperator({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const own = useMemo(() => ({ ...session, run: session.operator!.run }), [session]);
  return (
    <SessionContext.Provider value={own}>
      <DialogHost>{children}</DialogHost>
    </SessionContext.Provider>
  );
}

type Marked = { pid: string; isDemo: boolean; maintenance: boolean };

function StoreBadges({ store: { pid, isDemo, maintenance } }: { store: Marked }) {
  const { pid: current } = useSession();
  return (
    <>
      {isDemo && <Badge>{t('stores.demo')}</Badge>}{' '}
      {maintenance && <Badge tone="warn">{t('stores.closed')}</Badge>}{' '}
      {pid === current && <Badge tone="good">{t('stores.current')}</Badge>}
    </>
  );
}

function Picker() {
  const { pid: current, operator } = useSession();
  const { close } = useDialog();
  const { search, box } = useSearch();
  const found = useQuery(gql.PickStoreDocument, { search: search || null });
  return (
    <Dialog title={t('stores.switch')}>
      {box}
      <Loaded query={found} lines={4}>
        {({ stores: { edges, totalCount } }) => (
          <>
            {edges.length === 0 && <Empty title={t('stores.none')} />}
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
                {rich('stores.more', {
                  count: totalCount - edges.length,
                  link: (
                    <a href={hrefTo('stores')} onClick={close}>
                      {t('stores.allLink')}
                    </a>
                  ),
                })}
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
      <Button text={t('stores.switch')} look="small secondary outline switcher" opens={<Picker />} />
    </AsOperator>
  );
}

function Created({ store, apiKey }: { store: StoreInfo; apiKey: string }) {
  const { operator } = useSession();
  const { close } = useDialog();
  return (
    <Dialog title={t('stores.created', { store: store.name })}>
      <CopyField label={t('signIn.pid')} value={store.pid} note={t('stores.pidNote')} />
      <CopyField label={t('stores.firstKey')} value={apiKey} note={t('stores.keyNote')} />
      <footer class="buttons">
        <Button text={t('common.done')} look="secondary outline" onClick={close} />
        <Button text={t('stores.openStore')} look="" onClick={() => operator!.choose(store)} />
      </footer>
    </Dialog>
  );
}

/** Asks for confirmation, because closing or opening a store affects its shoppers at once. */
function Maintenance({ store, onDone }: { store: gql.StoreRowFragment; onDone: () => void }) {
  const { run } = useSession();
  const { pid, name, maintenance } = store;
  return (
    <Confirm
      title={t(maintenance ? 'stores.reopenTitle' : 'stores.closeTitle', { store: name })}
      label={t(maintenance ? 'stores.reopen' : 'stores.closeSubmit')}
      onSubmit={async () => {
        await run(gql.SetStoreMaintenanceDocument, { pid, maintenance: !maintenance });
        onDone();
        return t(maintenance ? 'stores.reopenedDone' : 'stores.closedDone', { store: name });
      }}
    >
      {t(maintenance ? 'stores.reopenText' : 'stores.closeText')}
    </Confirm>
  );
}

function Stores() {
  const { run, operator } = useSession();
  const { search, box } = useSearch();
  const stores = usePages(gql.StoresDocument, { search: search || null });
  const create = (
    <FormDialog
      title={t('stores.create')}
      label={t('stores.create')}
      field={{
        label: t('table.name'),
        required: true,
        maxLength: 100,
        hint: t('stores.nameHint'),
      }}
      onSubmit={async (name) => {
        const { createStore } = await run(gql.CreateStoreDocument, { name });
        stores.reload();
        return <Created {...createStore} />;
      }}
    />
  );
  const actions = (store: gql.StoreRowFragment) => {
    const which = store.maintenance ? 'reopen' : 'close';
    const ask = <Maintenance store={store} onDone={stores.reload} />;
    return (
      <>
        <Button
          text={t(`stores.${which}`)}
          label={t(`stores.${which}Label`, { store: store.name })}
          opens={ask}
        />
        <Button
          text={t('stores.open')}
          look="small"
          label={t('stores.openLabel', { store: store.name })}
          onClick={() => operator!.choose(store)}
        />
      </>
    );
  };
  return (
    <Page
      title={t('page.stores')}
      lead={t('stores.lead')}
      aside={<Button text={t('stores.create')} look="" opens={create} />}
    >
      <TableCard
        title={t('shell.allStores')}
        note={stores.data && t('stores.count', { count: stores.data.stores.totalCount })}
        caption={t('page.stores')}
        filters={box}
        query={stores}
        rowsOf={(data) => data.stores}
        keyOf={({ pid }) => pid}
        columns={[
          {
            label: t('stores.store'),
            cell: (store) => (
              <div class="store-name">
                <strong>{store.name}</strong> <StoreBadges store={store} />
                <span class="muted code">{store.pid}</span>
              </div>
            ),
          },
          { label: t('page.shoppers'), number: ({ shoppers }) => formatNumber(shoppers) },
          { label: t('shopper.lists'), number: ({ lists }) => formatNumber(lists) },
          { label: t('key.created'), cell: ({ cts }) => formatMoment(cts) },
          { label: t('common.actions'), actions },
        ]}
        empty={t(search ? 'stores.none' : 'stores.noneYet')}
        emptyText={t(search ? 'stores.searchHelp' : 'stores.createFirst')}
      />
    </Page>
  );
}

export function StoresPage() {
  return (
    <AsOperator>
      <Stores />
    </AsOperator>
  );
}
