import * as gql from '../../../generated/dashboard.ts';
import { formatBytes, formatMoment } from '../format.ts';
import { Confirm } from '../parts/form.tsx';
import { Button, Card, Empty, ErrorNotice, Facts, Loaded, Page } from '../parts/layout.tsx';
import { SUBSCRIPTION, VariantName } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAction, usePages, useQuery, useSession, useShopperChanges } from '../session.ts';
import { t } from '../text.ts';
import { kindOf, nameOf } from './shoppers.tsx';

/** Support restores deleted lists and items on request. */
function DeletedLists({ regid }: { regid: string }) {
  const { run } = useSession();
  const lists = usePages(gql.DeletedListsDocument, {}, regid);
  const restore = useAction(async (lid: string) => {
    const { restoreList } = await run(gql.RestoreDeletedListDocument, { lid }, { regid });
    return t('shopper.restored', { list: restoreList.lname });
  });
  return (
    <TableCard
      title={t('shopper.deletedLists')}
      isDense
      filters={restore.error && <ErrorNotice error={restore.error} />}
      query={lists}
      rowsOf={({ deletedLists: { edges, pageInfo } }) => ({
        edges: edges.map(({ node, ...edge }) => ({ node: { ...edge, ...node } })),
        pageInfo,
      })}
      keyOf={({ lid }) => lid}
      columns={[
        { label: 'table.name', cell: ({ lname }) => lname },
        { label: 'shopper.items', number: ({ cnt }) => cnt },
        { label: 'shopper.deleted', time: ({ deletedAt }) => deletedAt },
        { label: 'shopper.restorableUntil', time: (list) => list.restorableUntil },
        {
          label: 'shopper.restore',
          actions: ({ lid, lname }) => (
            <Button
              text={t('shopper.restore')}
              look="small secondary"
              label={t('shopper.restoreLabel', { list: lname })}
              disabled={restore.isBusy}
              onClick={() => restore.start(lid)}
            />
          ),
        },
      ]}
      empty={<p>{t('shopper.nothingDeleted')}</p>}
    />
  );
}

type Shopper = NonNullable<gql.FindShopperQuery['findShopper']>;

function About({ regid, uid, isGuest, storage, lists, userinfo }: Shopper) {
  const { run, download } = useSession();
  const { em, m, acc_mkt, extags, cts, lastlogin } = userinfo;
  const [used, allowed] = [formatBytes(storage.used), formatBytes(storage.allowed)];
  const load = async (): Promise<string> => {
    await download('/storeadmin/v3/user/export', 'shopper.json', { regid });
    return t('shopper.exported');
  };
  const save = useAction(load, { isWrite: false });
  const erase = async () => {
    await run(gql.EraseShopperDocument, { regid });
    location.hash = hrefTo('shoppers');
    return t('shopper.erased');
  };
  return (
    <Card title={t('shopper.record')} aside={kindOf({ isGuest })}>
      <Facts
        facts={{
          'shopper.email': em,
          'table.name': nameOf(userinfo),
          'shopper.mobile': m,
          'shopper.acceptsMarketing': t(acc_mkt ? 'common.yes' : 'common.no'),
          'shopper.tags': extags.join(', '),
          'shoppers.firstSeen': formatMoment(cts),
          'shoppers.lastLogin': formatMoment(lastlogin),
          'shopper.lists': lists?.totalCount ?? 0,
          'shopper.storage': t('shopper.storageUsed', { used, allowed }),
          'shopper.uid': uid,
          'shopper.regid': regid,
        }}
      />
      <ErrorNotice error={save.error} />
      <div class="buttons">
        <Button text={t('shopper.export')} look="secondary" isBusy={save.isBusy} onClick={save.start} />
        <Button
          text={t('shopper.erase')}
          look="danger outline"
          opens={
            <Confirm
              title={t('shopper.eraseTitle')}
              label={t('shopper.eraseSubmit')}
              phrase={em ?? t('shopper.erasePhrase')}
              onSubmit={erase}
            >
              {t('shopper.eraseText')}
            </Confirm>
          }
        />
      </div>
    </Card>
  );
}

function Found(shopper: Shopper) {
  const { regid, uid } = shopper;
  const lists = usePages(gql.ShopperListsDocument, { uid });
  const subscriptions = usePages(gql.ShopperSubscriptionsDocument, { uid });
  useShopperChanges(regid);
  return (
    <>
      <About {...shopper} />
      <TableCard
        isDense
        title={t('shopper.lists')}
        caption={t('shopper.listsCaption')}
        query={lists}
        rowsOf={({ findShopper }) => findShopper?.lists ?? []}
        keyOf={({ lid }) => lid}
        columns={[
          { label: 'table.name', cell: ({ lname }) => <span class="wrap">{lname}</span> },
          { label: 'shopper.items', number: ({ cnt }) => cnt },
          {
            label: 'shopper.visibility',
            cell: ({ anonRead }) => t(anonRead ? 'shopper.public' : 'shopper.private'),
          },
          { label: 'shopper.created', time: ({ cts }) => cts },
          { label: 'shopper.updated', time: ({ uts }) => uts },
        ]}
        empty={['shopper.noLists']}
      />
      <TableCard
        isDense
        title={t('shopper.subscriptions')}
        note={t('shopper.subscriptionsNote')}
        caption={t('shopper.subscriptionsCaption')}
        query={subscriptions}
        rowsOf={({ findShopper }) => findShopper?.subscriptions ?? []}
        keyOf={({ id }) => id}
        columns={[
          { label: 'table.product', cell: ({ product }) => <VariantName {...product} /> },
          ...SUBSCRIPTION,
        ]}
        empty={['shopper.noSubscriptions']}
      />
      <DeletedLists regid={regid} />
    </>
  );
}

export function ShopperPage({ uid }: { uid: string }) {
  const query = useQuery(gql.FindShopperDocument, { uid });
  const shopper = query.data?.findShopper ?? null;
  return (
    <Page
      title={
        shopper?.userinfo.em ??
        (shopper ? t('shoppers.guestName', { id: uid.slice(0, 8) }) : t('shoppers.shopper'))
      }
      lead={<a href={hrefTo('shoppers')}>{t('shopper.all')}</a>}
    >
      <Loaded query={query} lines={6}>
        {({ findShopper }) =>
          findShopper ? (
            <Found {...findShopper} />
          ) : (
            <Empty title={t('shopper.notFound')}>{t('shopper.notFoundText')}</Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
