import { useState } from 'preact/hooks';
import {
  DeletedListsDocument,
  EraseShopperDocument,
  FindShopperDocument,
  RestoreDeletedListDocument,
  ShopperListsDocument,
  ShopperSubscriptionsDocument,
} from '../../../generated/dashboard.ts';
import type { FindShopperQuery, ShopperSubscriptionsQuery } from '../../../generated/dashboard.ts';
import { saveFile } from '../download.ts';
import { formatBytes, formatMoment, formatNumber } from '../format.ts';
import { useDialog } from '../parts/dialog.tsx';
import { Empty, ErrorNotice, Loaded } from '../parts/feedback.tsx';
import { Confirm } from '../parts/form.tsx';
import { Button, Card, Facts, PageHead } from '../parts/layout.tsx';
import { SUBSCRIPTION, VariantName } from '../parts/product.tsx';
import { TableCard, useTrail } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession, useShopperChanges } from '../session.ts';
import { Kind } from './shoppers.tsx';

/** Support restores deleted lists and items on request. */
function DeletedLists({ regid }: { regid: string }) {
  const { run, notify } = useSession();
  const trail = useTrail();
  const lists = useQuery(DeletedListsDocument, { after: trail.after }, regid);
  const restore = useAction(async (lid: string) => {
    const { restoreList } = await run(RestoreDeletedListDocument, { lid }, { regid });
    notify(`${restoreList.lname} is back.`);
    lists.reload();
  });
  return (
    <TableCard
      title="Deleted lists"
      caption="Deleted lists"
      isDense
      lines={1}
      filters={restore.error && <ErrorNotice error={restore.error} />}
      query={lists}
      trail={trail}
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
              look="small secondary"
              label={`Bring back ${lname}`}
              disabled={restore.isBusy}
              onClick={() => restore.start(lid)}
            >
              Bring back
            </Button>
          ),
        },
      ]}
      empty={<p>There is nothing to bring back.</p>}
    />
  );
}

type Shopper = NonNullable<FindShopperQuery['findShopper']>;
type Subscription = NonNullable<
  NonNullable<ShopperSubscriptionsQuery['findShopper']>['subscriptions']
>['edges'][number]['node'];

function About({ shopper }: { shopper: Shopper }) {
  const { run, notify } = useSession();
  const { open } = useDialog();
  const { regid, uid, isGuest, storage, lists, userinfo } = shopper;
  const download = useAction(async () => {
    const file = await run.download('/storeadmin/v3/user/export', { regid });
    saveFile(`shopper-${new Date().toISOString().slice(0, 10)}.json`, file);
    notify('The export is in your downloads.');
  });
  const erase = async (): Promise<void> => {
    await run(EraseShopperDocument, { regid });
    notify('The shopper is erased.');
    location.hash = hrefTo('shoppers');
  };
  const ask = (): void =>
    open(
      <Confirm
        title="Erase this shopper?"
        label="Erase for ever"
        phrase={userinfo.em ?? 'ERASE'}
        onSubmit={erase}
      >
        Lists, items, subscriptions, messages and everything that names the person are deleted, and all
        sessions end. It cannot be undone.
      </Confirm>,
    );
  return (
    <Card title="Record" aside={<Kind isGuest={isGuest} />}>
      <Facts
        facts={[
          ['E-mail', userinfo.em ?? '–'],
          ['Name', [userinfo.fname, userinfo.lname].filter(Boolean).join(' ') || '–'],
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
      <ErrorNotice error={download.error} />
      <div class="buttons">
        <Button look="secondary" isBusy={download.isBusy} onClick={download.start}>
          Export as JSON
        </Button>
        <Button look="danger outline" onClick={ask}>
          Erase…
        </Button>
      </div>
    </Card>
  );
}

function Lists({ uid }: { uid: string }) {
  const trail = useTrail();
  const lists = useQuery(ShopperListsDocument, { uid, after: trail.after });
  return (
    <TableCard
      isDense
      title="Lists"
      caption="Lists, newest first"
      query={lists}
      trail={trail}
      rowsOf={({ findShopper }) => findShopper?.lists ?? []}
      keyOf={({ lid }) => lid}
      columns={[
        { label: 'Name', cell: ({ lname }) => <span class="wrap">{lname}</span> },
        { label: 'Items', number: ({ cnt }) => formatNumber(cnt) },
        { label: 'Seen by', cell: ({ anonRead }) => (anonRead ? 'whoever has the link' : 'the shopper') },
        { label: 'Made', cell: ({ cts }) => formatMoment(cts) },
        { label: 'Last change', cell: ({ uts }) => formatMoment(uts) },
      ]}
      empty={<Empty title="No lists" />}
    />
  );
}

function Subscriptions({ uid }: { uid: string }) {
  const trail = useTrail();
  const subscriptions = useQuery(ShopperSubscriptionsDocument, { uid, after: trail.after });
  return (
    <TableCard
      isDense
      title="Subscriptions"
      note="Of an account's own address, or what a guest asked for."
      caption="Subscriptions, newest first"
      query={subscriptions}
      trail={trail}
      rowsOf={({ findShopper }) => findShopper?.subscriptions ?? []}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Product', cell: ({ product }: Subscription) => <VariantName {...product} /> },
        SUBSCRIPTION.topic,
        SUBSCRIPTION.contact,
        SUBSCRIPTION.state,
        SUBSCRIPTION.since,
      ]}
      empty={<Empty title="No subscriptions" />}
    />
  );
}

/** Reloads everything when the shopper's lists change. */
function Found({ shopper, onMoved }: { shopper: Shopper; onMoved: () => void }) {
  const { regid, uid } = shopper;
  const [changes, setChanges] = useState(0);
  useShopperChanges(regid, () => {
    onMoved();
    setChanges((count) => count + 1);
  });
  return (
    <>
      <About shopper={shopper} />
      <Lists key={`lists ${changes}`} uid={uid} />
      <Subscriptions uid={uid} />
      <DeletedLists key={`deleted ${changes}`} regid={regid} />
    </>
  );
}

export function ShopperPage({ uid }: { uid: string }) {
  const query = useQuery(FindShopperDocument, { uid });
  const shopper = query.data?.findShopper ?? null;
  return (
    <>
      <PageHead
        title={shopper?.userinfo.em ?? (shopper ? `Guest ${uid.slice(0, 8)}` : 'Shopper')}
        lead={<a href={hrefTo('shoppers')}>All shoppers</a>}
      />
      <Loaded query={query} lines={6}>
        {({ findShopper }) =>
          findShopper ? (
            <Found shopper={findShopper} onMoved={query.reload} />
          ) : (
            <Empty title="No such shopper">It may have been erased.</Empty>
          )
        }
      </Loaded>
    </>
  );
}
