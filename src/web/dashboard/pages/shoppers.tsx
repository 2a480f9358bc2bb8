import * as gql from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { Segments, optionsOf } from '../parts/fields.tsx';
import { Badge, Page } from '../parts/layout.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAddressPages, useQuery } from '../session.ts';

function MailingList() {
  const list = useAddressPages(gql.MailingListDocument, {});
  const count = list.data?.mailingList.totalCount;
  return (
    <TableCard
      title="Mailing list"
      note={`${count === undefined ? '' : `${formatNumber(count)} in all. `}Contacts that said yes when they subscribed, and have not left since.`}
      isDense
      query={list}
      rowsOf={(data) => data.mailingList}
      keyOf={({ medium, mediumvalue }) => `${medium} ${mediumvalue}`}
      file={{ path: 'mailinglist.csv' }}
      columns={[
        { label: 'Contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
        { label: 'Medium', cell: ({ medium }) => medium },
        { label: 'Since', cell: ({ signuptime }) => formatMoment(signuptime) },
        { label: 'Source', cell: ({ acceptsource }) => acceptsource },
      ]}
      empty="Nobody has opted in yet"
      emptyText="Send addtomailinglist=1 with a subscription."
    />
  );
}

const KINDS = optionsOf({ '': 'All', account: 'Accounts', guest: 'Guests' });
const VIEWS = optionsOf<string>({ '': 'Shoppers', 'mailing-list': 'Mailing list', audit: 'Audit log' });

export function Kind({ isGuest }: { isGuest: boolean }) {
  return <Badge tone={isGuest ? 'plain' : 'good'}>{isGuest ? 'guest' : 'account'}</Badge>;
}

export const nameOf = ({ fname, lname }: { fname: string | null; lname: string | null }): string =>
  [fname, lname].filter(Boolean).join(' ') || '–';

function Everybody() {
  const { filters, bind } = useFilters(['q', 'kind'], ['q']);
  const { q } = filters;
  const kind = oneOf(filters.kind, KINDS, '');
  const which = { search: q || null, kind: kind || null };
  const shoppers = useAddressPages(gql.ShoppersDocument, which);
  const count = useQuery(gql.CountShoppersDocument, which);
  return (
    <TableCard
      title="Guests and accounts"
      note={count.data && plural(count.data.shoppers.totalCount, 'shopper')}
      caption="Shoppers, those first that were first seen last"
      isDense
      query={shoppers}
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
        { label: 'Name', cell: ({ userinfo }) => <span class="wrap">{nameOf(userinfo)}</span> },
        { label: 'Kind', cell: ({ isGuest }) => <Kind isGuest={isGuest} /> },
        { label: 'Marketing', cell: ({ userinfo }) => (userinfo.acc_mkt ? 'yes' : 'no') },
        { label: 'First seen', cell: ({ userinfo }) => formatMoment(userinfo.cts) },
        { label: 'Last login', cell: ({ userinfo }) => formatMoment(userinfo.lastlogin) },
      ]}
      empty={q || kind ? 'No such shopper' : 'No shopper was identified yet'}
      emptyText={
        q
          ? 'An address is found by its beginning, a name by the beginnings of its words, a guest by its regid.'
          : 'They appear when the shop first asks for their regid.'
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
  return (
    <TableCard
      title="Audit log"
      note="Exports and erasures. It does not name the person; the same person has the same subject."
      query={useQuery(gql.AuditLogDocument, { first: 50 })}
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
      empty="Nothing was exported or erased yet"
    />
  );
}

export function ShoppersPage() {
  const { filters, bind } = useFilters(['view']);
  return (
    <Page
      title="Shoppers"
      lead="What you search for is not in the address of the page."
      aside={<Segments label="Show" options={VIEWS} {...bind('view')} />}
    >
      {filters.view === 'mailing-list' ? (
        <MailingList />
      ) : filters.view === 'audit' ? (
        <Audit />
      ) : (
        <Everybody />
      )}
    </Page>
  );
}
