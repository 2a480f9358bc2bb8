import { useState } from 'preact/hooks';
import {
  EraseShopperDocument,
  FindShopperDocument,
  ShopperListsDocument,
  ShopperSubscriptionsDocument,
} from '../../../generated/dashboard.ts';
import type { FindShopperQuery } from '../../../generated/dashboard.ts';
import { saveFile } from '../download.ts';
import { formatBytes, formatMoment, formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { DeletedLists } from '../parts/deleted-lists.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Empty, Failure, Loaded } from '../parts/feedback.tsx';
import { Confirm } from '../parts/form-dialog.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { useTrail } from '../parts/pager.tsx';
import { VariantName } from '../parts/product.tsx';
import { SUBSCRIPTION } from '../parts/subscription-columns.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession, useShopperChanges } from '../session.ts';
import { Kind } from './shoppers.tsx';

type Shopper = NonNullable<FindShopperQuery['findShopper']>;

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
      <Failure error={download.error} />
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

const NOTHING = { edges: [], pageInfo: { hasNextPage: false, endCursor: null } };

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
      rowsOf={({ findShopper }) => findShopper?.lists ?? NOTHING}
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
      rowsOf={({ findShopper }) => findShopper?.subscriptions ?? NOTHING}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Product', cell: ({ product }) => <VariantName {...product} /> },
        SUBSCRIPTION.topic,
        SUBSCRIPTION.contact,
        SUBSCRIPTION.state,
        SUBSCRIPTION.since,
      ]}
      empty={<Empty title="No subscriptions" />}
    />
  );
}

/** Everything is read again when the shopper's lists change. */
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
