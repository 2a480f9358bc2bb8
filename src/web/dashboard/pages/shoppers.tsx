import { AuditLogDocument, CountShoppersDocument, ShoppersDocument } from '../../../generated/dashboard.ts';
import type { AuditLogQuery, ShopperKind } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, plural } from '../format.ts';
import { Browse, SearchBox, useFilters } from '../parts/browse.tsx';
import { Badge, Empty, Loaded } from '../parts/feedback.tsx';
import { Segments } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { MailingList } from '../parts/mailing-list.tsx';
import { useAddressTrail } from '../parts/pager.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

const KINDS = [
  { value: '', label: 'All' },
  { value: 'account', label: 'Accounts' },
  { value: 'guest', label: 'Guests' },
];
const VIEWS = [
  { value: '', label: 'Shoppers' },
  { value: 'mailing-list', label: 'Mailing list' },
  { value: 'audit', label: 'Audit log' },
];

function Everybody() {
  const [{ q, kind: given }, change] = useFilters(['q', 'kind'], ['q']);
  const kind = KINDS.some(({ value }) => value === given) ? given : '';
  const { after } = useAddressTrail();
  const which = { search: q || null, kind: (kind || null) as ShopperKind | null };
  const shoppers = useQuery(ShoppersDocument, { ...which, after });
  const count = useQuery(CountShoppersDocument, which);
  return (
    <Browse
      title="Guests and accounts"
      note={count.data && plural(count.data.shoppers.totalCount, 'shopper')}
      caption="Shoppers, those first that were first seen last"
      query={shoppers}
      rowsOf={(data) => data.shoppers}
      keyOf={({ uid }) => uid}
      file={{ path: 'shoppers.csv', fields: { search: q, kind } }}
      filters={
        <>
          <SearchBox
            label="Search"
            placeholder="E-mail address, name or regid"
            value={q}
            onValue={(value) => change({ q: value }, true)}
          />
          <Segments label="Kind" value={kind} options={KINDS} onValue={(value) => change({ kind: value })} />
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

/** Guest or account. */
export function Kind({ isGuest }: { isGuest: boolean }) {
  return <Badge tone={isGuest ? 'plain' : 'good'}>{isGuest ? 'guest' : 'account'}</Badge>;
}

const detailText = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .map(([kind, count]) => `${String(count)} ${kind}`)
    .join(', ') || '–';

/** The key that asked, as Settings names it; of one that was revoked since, the id is all there is. */
function KeyName({ id, keys }: { id: string; keys: Answered<AuditLogQuery>['store']['apiKeys'] }) {
  const key = keys.find((entry) => entry.id === id);
  return <span class="code">{key ? `…${key.hint}` : id}</span>;
}

function Audit() {
  const audit = useQuery(AuditLogDocument, { first: 50 });
  return (
    <Card
      title="Audit log"
      note="Exports and erasures. It does not name the person; the same person has the same subject."
    >
      <Loaded query={audit}>
        {({ auditLog, store }) =>
          auditLog.length === 0 ? (
            <Empty title="Nothing was exported or erased yet" />
          ) : (
            <Table
              caption="Audit log"
              rows={auditLog}
              keyOf={({ id }) => id}
              columns={[
                { label: 'When', cell: ({ at }) => formatMoment(at) },
                {
                  label: 'What',
                  cell: ({ action }) => <Badge tone={action === 'erase' ? 'warn' : 'plain'}>{action}</Badge>,
                },
                { label: 'Subject', cell: ({ subject }) => <span class="code">{subject}</span> },
                { label: 'Key', cell: ({ keyId }) => <KeyName id={keyId} keys={store.apiKeys} /> },
                { label: 'Rows', cell: ({ detail }) => detailText(detail) },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

/** The store's shoppers, who wants the mailing list, and what was exported or erased. */
export function ShoppersPage() {
  const [{ view }, change] = useFilters(['view']);
  return (
    <>
      <PageHead
        title="Shoppers"
        lead="What you search for is not in the address of the page."
        aside={
          <Segments label="Show" value={view} options={VIEWS} onValue={(value) => change({ view: value })} />
        }
      />
      {view === 'mailing-list' ? <MailingList /> : view === 'audit' ? <Audit /> : <Everybody />}
    </>
  );
}
