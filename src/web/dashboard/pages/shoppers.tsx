import * as gql from '../../../generated/dashboard.ts';
import { Segments, optionsOf } from '../parts/fields.tsx';
import { Badge, Flag, Page } from '../parts/layout.tsx';
import { SearchBox, TableCard, oneOf, useFilters } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useAddressPages, useQuery } from '../session.ts';
import { channelName, find, t } from '../text.ts';

function MailingList() {
  const list = useAddressPages(gql.MailingListDocument, {});
  const count = list.data?.mailingList.totalCount;
  return (
    <TableCard
      title={t('mailing.title')}
      note={t('mailing.note', { count: count ?? 0 })}
      isDense
      query={list}
      rowsOf={(data) => data.mailingList}
      keyOf={({ medium, mediumvalue }) => `${medium} ${mediumvalue}`}
      file={{ path: 'mailinglist.csv' }}
      columns={[
        { label: 'table.contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
        { label: 'mailing.medium', cell: ({ medium }) => channelName(medium) },
        { label: 'table.since', time: ({ signuptime }) => signuptime },
        { label: 'mailing.source', cell: ({ acceptsource: from }) => find(`mailing.source.${from}`) ?? from },
      ]}
      empty={['mailing.empty', 'mailing.emptyText']}
    />
  );
}

const KINDS = optionsOf({ '': 'shoppers.all', account: 'shoppers.accounts', guest: 'shoppers.guests' });
const VIEWS = optionsOf<string>({
  '': 'page.shoppers',
  'mailing-list': 'mailing.title',
  audit: 'shoppers.audit',
});

export const kindOf = ({ isGuest }: { isGuest: boolean }) => (
  <Flag isOn={!isGuest} texts={['shoppers.account', 'shoppers.guest']} />
);

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
      title={t('shoppers.title')}
      note={count.data && t('shoppers.count', { count: count.data.shoppers.totalCount })}
      caption={t('shoppers.caption')}
      isDense
      query={shoppers}
      rowsOf={(data) => data.shoppers}
      keyOf={({ uid }) => uid}
      file={{ path: 'shoppers.csv', fields: { search: q, kind } }}
      filters={
        <>
          <SearchBox label={t('common.search')} placeholder={t('shoppers.search')} {...bind('q')} />
          <Segments label={t('shoppers.kind')} value={kind} options={KINDS} onValue={bind('kind').onValue} />
        </>
      }
      columns={[
        {
          label: 'shoppers.shopper',
          cell: ({ uid, userinfo: { em } }) => (
            <a class="wrap" href={hrefTo('shoppers', uid)}>
              {em ?? t('shoppers.guestName', { id: uid.slice(0, 8) })}
            </a>
          ),
        },
        { label: 'table.name', cell: ({ userinfo }) => <span class="wrap">{nameOf(userinfo)}</span> },
        { label: 'shoppers.kind', cell: kindOf },
        {
          label: 'shoppers.marketing',
          cell: ({ userinfo }) => t(userinfo.acc_mkt ? 'common.yes' : 'common.no'),
        },
        { label: 'shoppers.firstSeen', time: ({ userinfo }) => userinfo.cts },
        { label: 'shoppers.lastLogin', time: ({ userinfo }) => userinfo.lastlogin },
      ]}
      empty={[
        q || kind ? 'shoppers.none' : 'shoppers.noneYet',
        q ? 'shoppers.searchHelp' : 'shoppers.noneYetText',
      ]}
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
      title={t('shoppers.audit')}
      note={t('audit.note')}
      query={useQuery(gql.AuditLogDocument, { first: 50 })}
      rowsOf={({ auditLog }) => auditLog}
      keyOf={({ id }) => id}
      columns={({ store }) => [
        { label: 'table.when', time: ({ at }) => at },
        {
          label: 'audit.action',
          cell: ({ action }) => (
            <Badge tone={action === 'erase' ? 'warn' : 'plain'}>{t(`audit.${action}`)}</Badge>
          ),
        },
        { label: 'audit.subject', cell: ({ subject }) => <span class="code">{subject}</span> },
        {
          label: 'audit.key',
          cell: ({ keyId }) => <span class="code">{keyText(keyId, store.apiKeys)}</span>,
        },
        { label: 'audit.rows', cell: ({ detail }) => detailText(detail) },
      ]}
      empty={['audit.empty']}
    />
  );
}

export function ShoppersPage() {
  const { filters, bind } = useFilters(['view']);
  return (
    <Page
      title={t('page.shoppers')}
      lead={t('shoppers.lead')}
      aside={<Segments label={t('shoppers.show')} options={VIEWS} {...bind('view')} />}
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
