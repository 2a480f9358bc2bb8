import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatBytes, formatMoment, formatNumber } from '../format.ts';
import { Confirm } from '../parts/form.tsx';
import { Button, Card, Empty, ErrorNotice, Facts, Loaded, Page } from '../parts/layout.tsx';
import { SUBSCRIPTION, VariantName } from '../parts/product.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAction, usePages, useQuery, useSession, useShopperChanges } from '../session.ts';
import { Kind, nameOf } from './shoppers.tsx';

/** Support restores deleted lists and items on request. */
function DeletedLists({ regid }: { regid: string }) {
  const { run } = useSession();
  const lists = usePages(gql.DeletedListsDocument, {}, regid);
  const restore = useAction(async (lid: string) => {
    const { restoreList } = await run(gql.RestoreDeletedListDocument, { lid }, { regid });
    lists.reload();
    return `${restoreList.lname} is back.`;
  });
  return (
    <TableCard
      title="Deleted lists"
      isDense
      lines={1}
      filters={restore.error && <ErrorNotice error={restore.error} />}
      query={lists}
      rowsOf={({ deletedLists: { edges, pageInfo } }) => ({
        edges: edges.map(({ node, ...edge }) => ({ node: { ...edge, ...node } })),
        pageInfo,
      })}
      keyOf={({ lid }) => lid}
      columns={[
        { label: 'Name', cell: ({ lname }) => lname },
        { label: 'Items', number: ({ cnt }) => formatNumber(cnt) },
        { label: 'Deleted', cell: ({ deletedAt }) => formatMoment(deletedAt) },
        { label: 'Can be brought back until', cell: (list) => formatMoment(list.restorableUntil) },
        {
          label: 'Bring back',
          actions: ({ lid, lname }) => (
            <Button
              text="Bring back"
              look="small secondary"
              label={`Bring back ${lname}`}
              disabled={restore.isBusy}
              onClick={() => restore.start(lid)}
            />
          ),
        },
      ]}
      empty={<p>There is nothing to bring back.</p>}
    />
  );
}

type Shopper = NonNullable<gql.FindShopperQuery['findShopper']>;
type Pages = NonNullable<gql.ShopperSubscriptionsQuery['findShopper']>['subscriptions'];
type Subscription = NonNullable<Pages>['edges'][number]['node'];

function About({ regid, uid, isGuest, storage, lists, userinfo }: Shopper) {
  const { run, download } = useSession();
  const save = useAction(async () => {
    await download('/storeadmin/v3/user/export', 'shopper.json', { regid });
    return 'The export is in your downloads.';
  });
  const erase = async () => {
    await run(gql.EraseShopperDocument, { regid });
    location.hash = hrefTo('shoppers');
    return 'The shopper is erased.';
  };
  return (
    <Card title="Record" aside={<Kind isGuest={isGuest} />}>
      <Facts
        facts={[
          ['E-mail', userinfo.em ?? '–'],
          ['Name', nameOf(userinfo)],
          ['Mobile', userinfo.m ?? '–'],
          ['Accepts marketing', userinfo.acc_mkt ? 'yes' : 'no'],
          ['Tags', userinfo.extags.join(', ') || '–'],
          ['First seen', formatMoment(userinfo.cts)],
          ['Last login', formatMoment(userinfo.lastlogin)],
          ['Lists', formatNumber(lists?.totalCount ?? 0)],
          ['Storage', `${formatBytes(storage.used)} of ${formatBytes(storage.allowed)}`],
          ['User id', uid],
          ['regid', regid],
        ]}
      />
      <ErrorNotice error={save.error} />
      <div class="buttons">
        <Button text="Export as JSON" look="secondary" isBusy={save.isBusy} onClick={save.start} />
        <Button
          text="Erase…"
          look="danger outline"
          opens={
            <Confirm
              title="Erase this shopper?"
              label="Erase for ever"
              phrase={userinfo.em ?? 'ERASE'}
              onSubmit={erase}
            >
              Lists, items, subscriptions, messages and everything that names the person are deleted, and all
              sessions end. It cannot be undone.
            </Confirm>
          }
        />
      </div>
    </Card>
  );
}

function Lists({ uid }: { uid: string }) {
  return (
    <TableCard
      isDense
      title="Lists"
      caption="Lists, newest first"
      query={usePages(gql.ShopperListsDocument, { uid })}
      rowsOf={({ findShopper }) => findShopper?.lists ?? []}
      keyOf={({ lid }) => lid}
      columns={[
        { label: 'Name', cell: ({ lname }) => <span class="wrap">{lname}</span> },
        { label: 'Items', number: ({ cnt }) => formatNumber(cnt) },
        { label: 'Seen by', cell: ({ anonRead }) => (anonRead ? 'whoever has the link' : 'the shopper') },
        { label: 'Made', cell: ({ cts }) => formatMoment(cts) },
        { label: 'Last change', cell: ({ uts }) => formatMoment(uts) },
      ]}
      empty="No lists"
    />
  );
}

function Subscriptions({ uid }: { uid: string }) {
  return (
    <TableCard
      isDense
      title="Subscriptions"
      note="Of an account's own address, or what a guest asked for."
      caption="Subscriptions, newest first"
      query={usePages(gql.ShopperSubscriptionsDocument, { uid })}
      rowsOf={({ findShopper }) => findShopper?.subscriptions ?? []}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Product', cell: ({ product }: Subscription) => <VariantName {...product} /> },
        SUBSCRIPTION.topic,
        SUBSCRIPTION.contact,
        SUBSCRIPTION.state,
        SUBSCRIPTION.since,
      ]}
      empty="No subscriptions"
    />
  );
}

function Found({ shopper, onMoved }: { shopper: Shopper; onMoved: () => void }) {
  const { regid, uid } = shopper;
  const [changes, setChanges] = useState(0);
  useShopperChanges(regid, () => {
    onMoved();
    setChanges((count) => count + 1);
  });
  return (
    <>
      <About {...shopper} />
      <Lists key={`lists ${changes}`} uid={uid} />
      <Subscriptions uid={uid} />
      <DeletedLists key={`deleted ${changes}`} regid={regid} />
    </>
  );
}

export function ShopperPage({ uid }: { uid: string }) {
  const query = useQuery(gql.FindShopperDocument, { uid });
  const shopper = query.data?.findShopper ?? null;
  return (
    <Page
      title={shopper?.userinfo.em ?? (shopper ? `Guest ${uid.slice(0, 8)}` : 'Shopper')}
      lead={<a href={hrefTo('shoppers')}>All shoppers</a>}
    >
      <Loaded query={query} lines={6}>
        {({ findShopper }) =>
          findShopper ? (
            <Found shopper={findShopper} onMoved={query.reload} />
          ) : (
            <Empty title="No such shopper">It may have been erased.</Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
