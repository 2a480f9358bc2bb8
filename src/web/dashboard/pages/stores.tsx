import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { Dialog, DialogHost, SecretDialog } from '../parts/dialog.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Badge, Button, CellNote, Empty, Loaded, Page } from '../parts/layout.tsx';
import { SearchBox, TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { SessionContext, useDialog, usePages, useQuery, useSession, useText } from '../session.ts';
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

function StoreSearch(search: ReturnType<typeof useText>) {
  return <SearchBox label={t('common.search')} placeholder={t('table.storeSearch')} {...search} />;
}

function Picker() {
  const { pid: current, operator } = useSession();
  const { close } = useDialog();
  const search = useText();
  const found = useQuery(gql.PickStoreDocument, { search: search.value || null });
  return (
    <Dialog title={t('stores.switch')}>
      <StoreSearch {...search} />
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

function Stores() {
  const { run, operator } = useSession();
  const search = useText();
  const stores = usePages(gql.StoresDocument, { search: search.value || null });
  const create = (
    <FormDialog
      title={t('stores.create')}
      label={t('stores.create')}
      field={{ label: t('table.name'), required: true, maxLength: 100, hint: t('stores.nameHint') }}
      onSubmit={async (name) => {
        const { store, apiKey } = (await run(gql.CreateStoreDocument, { name })).createStore;
        const secrets = [
          { label: t('signIn.pid'), value: store.pid, note: t('stores.pidNote') },
          { label: t('stores.firstKey'), value: apiKey, note: t('stores.keyNote') },
        ];
        const next = <Button text={t('stores.openStore')} look="" onClick={() => operator!.choose(store)} />;
        return (
          <SecretDialog title={t('stores.created', { store: store.name })} secrets={secrets} next={next} />
        );
      }}
    />
  );
  const actions = (store: gql.StoreRowFragment) => {
    const { pid, name, maintenance } = store;
    const which = maintenance ? 'reopen' : 'close';
    // Asks for confirmation, because closing or opening a store affects its shoppers at once.
    const ask = (
      <Confirm
        title={t(`stores.${which}Title`, { store: name })}
        label={t(maintenance ? 'stores.reopen' : 'stores.closeSubmit')}
        onSubmit={async () => {
          await run(gql.SetStoreMaintenanceDocument, { pid, maintenance: !maintenance });
          return t(maintenance ? 'stores.reopenedDone' : 'stores.closedDone', { store: name });
        }}
      >
        {t(`stores.${which}Text`)}
      </Confirm>
    );
    return (
      <>
        <Button text={t(`stores.${which}`)} label={t(`stores.${which}Label`, { store: name })} opens={ask} />
        <Button
          text={t('stores.open')}
          look="small"
          label={t('stores.openLabel', { store: name })}
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
        filters={<StoreSearch {...search} />}
        query={stores}
        rowsOf={(data) => data.stores}
        keyOf={({ pid }) => pid}
        columns={[
          {
            label: 'stores.store',
            cell: (store) => (
              <>
                <strong>{store.name}</strong> <StoreBadges store={store} />
                <CellNote>
                  <span class="code">{store.pid}</span>
                </CellNote>
              </>
            ),
          },
          { label: 'page.shoppers', number: ({ shoppers }) => shoppers },
          { label: 'shopper.lists', number: ({ lists }) => lists },
          { label: 'key.created', time: ({ cts }) => cts },
          { label: 'common.actions', actions },
        ]}
        empty={search.value ? ['stores.none', 'stores.searchHelp'] : ['stores.noneYet', 'stores.createFirst']}
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
