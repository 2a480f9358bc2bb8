import {
  AuditLogDocument,
  CountShoppersDocument,
  MailingListDocument,
  ShoppersDocument,
} from '../../../generated/dashboard.ts';
import type { ShopperKind } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { Badge, Empty } from '../parts/feedback.tsx';
import { Segments } from '../parts/fields.tsx';
import type { Option } from '../parts/fields.tsx';
import { PageHead } from '../parts/layout.tsx';
import { SearchBox, TableCard, oneOf, useAddressTrail, useFilters } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

function MailingList() {
  const trail = useAddressTrail();
  const list = useQuery(MailingListDocument, { after: trail.after });
  const count = list.data?.mailingList.totalCount;
  return (
    <TableCard
      title="Mailing list"
      note={`${count === undefined ? '' : `${formatNumber(count)} in all. `}Contacts that said yes when they subscribed, and have not left since.`}
      caption="Mailing list"
      isDense
      query={list}
      trail={trail}
      rowsOf={(data) => data.mailingList}
      keyOf={({ medium, mediumvalue }) => `${medium} ${mediumvalue}`}
      file={{ path: 'mailinglist.csv' }}
      columns={[
        { label: 'Contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
        { label: 'Medium', cell: ({ medium }) => medium },
        { label: 'Since', cell: ({ signuptime }) => formatMoment(signuptime) },
        { label: 'Source', cell: ({ acceptsource }) => acceptsource },
      ]}
      empty={<Empty title="Nobody has opted in yet">Send addtomailinglist=1 with a subscription.</Empty>}
    />
  );
}

const KINDS: Option<ShopperKind | ''>[] = [
  { value: '', label: 'All' },
  { value: 'account', label: 'Accounts' },
  { value: 'guest', label: 'Guests' },
];
const VIEWS = [
  { value: '', label: 'Shoppers' },
  { value: 'mailing-list', label: 'Mailing list' },
  { value: 'audit', label: 'Audit log' },
];

export function Kind({ isGuest }: { isGuest: boolean }) {
  return <Badge tone={isGuest ? 'plain' : 'good'}>{isGuest ? 'guest' : 'account'}</Badge>;
}

function Everybody() {
  const { filters, bind } = useFilters(['q', 'kind'], ['q']);
  const { q } = filters;
  const kind = oneOf(filters.kind, KINDS, '');
  const trail = useAddressTrail();
  const which = { search: q || null, kind: kind || null };
  const shoppers = useQuery(ShoppersDocument, { ...which, after: trail.after });
  const count = useQuery(CountShoppersDocument, which);
  return (
    <TableCard
      title="Guests and accounts"
      note={count.data && plural(count.data.shoppers.totalCount, 'shopper')}
      caption="Shoppers, those first that were first seen last"
      isDense
      query={shoppers}
      trail={trail}
      rowsOf={(data) => data.shoppers}
      keyOf={({ uid }) => uid}
      file={{ path: 'shoppers.csv', fields: { search: q, kind } }}
      filters={
        <>
          <SearchBox label="Search" placeholder="E-mail address, name or regid" {...bind('q')} />
          <Segments label="Kind" value={kind} options={KINDS} onValue={bind('kind').onValue} />
        </>
      }
      columns={[
        {
          label: 'Shopper',
          cell: ({ uid, userinfo: { em } }) => (
            <a class="wrap" href={hrefTo('shoppers', uid)}>
              {em ?? `Guest ${uid.slice(0, 8)}`}
            </a>
          ),
        },
        {
          label: 'Name',
          cell: ({ userinfo: { fname, lname } }) => (
            <span class="wrap">{[fname, lname].filter(Boolean).join(' ') || '–'}</span>
          ),
        },
        { label: 'Kind', cell: ({ isGuest }) => <Kind isGuest={isGuest} /> },
        { label: 'Marketing', cell: ({ userinfo }) => (userinfo.acc_mkt ? 'yes' : 'no') },
        { label: 'First seen', cell: ({ userinfo }) => formatMoment(userinfo.cts) },
        { label: 'Last login', cell: ({ userinfo }) => formatMoment(userinfo.lastlogin) },
      ]}
      empty={
        <Empty title={q || kind ? 'No such shopper' : 'No shopper was identified yet'}>
          {q
            ? 'An address is found by its beginning, a name by the beginnings of its words, a guest by its regid.'
            : 'They appear when the shop first asks for their regid.'}
        </Empty>
      }
    />
  );
}

const detailText = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .map(([kind, count]) => `${String(count)} ${kind}`)
    .join(', ') || '–';

/** Shows the key as Settings does; for a revoked key, only its id is known. */
function keyText(id: string, keys: readonly { id: string; hint: string }[]): string {
  const key = keys.find((entry) => entry.id === id);
  return key ? `…${key.hint}` : id;
}

function Audit() {
  const audit = useQuery(AuditLogDocument, { first: 50 });
  return (
    <TableCard
      title="Audit log"
      note="Exports and erasures. It does not name the person; the same person has the same subject."
      caption="Audit log"
      query={audit}
      rowsOf={({ auditLog }) => auditLog}
      keyOf={({ id }) => id}
      columns={({ store }) => [
        { label: 'When', cell: ({ at }) => formatMoment(at) },
        {
          label: 'What',
          cell: ({ action }) => <Badge tone={action === 'erase' ? 'warn' : 'plain'}>{action}</Badge>,
        },
        { label: 'Subject', cell: ({ subject }) => <span class="code">{subject}</span> },
        { label: 'Key', cell: ({ keyId }) => <span class="code">{keyText(keyId, store.apiKeys)}</span> },
        { label: 'Rows', cell: ({ detail }) => detailText(detail) },
      ]}
      empty={<Empty title="Nothing was exported or erased yet" />}
    />
  );
}

export function ShoppersPage() {
  const { filters, bind } = useFilters(['view']);
  return (
    <>
      <PageHead
        title="Shoppers"
        lead="What you search for is not in the address of the page."
        aside={<Segments label="Show" options={VIEWS} {...bind('view')} />}
      />
      {filters.view === 'mailing-list' ? (
        <MailingList />
      ) : filters.view === 'audit' ? (
        <Audit />
      ) : (
        <Everybody />
      )}
    </>
  );
}
