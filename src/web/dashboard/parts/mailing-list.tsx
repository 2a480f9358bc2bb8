import { MailingListDocument } from '../../../generated/dashboard.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useQuery } from '../session.ts';
import { Empty } from './feedback.tsx';
import { useAddressTrail } from './pager.tsx';
import { TableCard } from './table-card.tsx';

/** Who said yes to the mailing list, page by page and as a file. */
export function MailingList() {
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
