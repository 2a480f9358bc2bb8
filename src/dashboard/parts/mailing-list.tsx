import { MailingListDocument } from '../../generated/dashboard.ts';
import { saveFile } from '../download.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Empty, Failure, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import { Pager, useTrail } from './pager.tsx';

/** Who said yes to the mailing list, page by page and as a file. */
export function MailingList() {
  const { run, notify } = useSession();
  const trail = useTrail('');
  const list = useQuery(MailingListDocument, { after: trail.after });
  const download = useAction(async () => {
    const file = await run.download('/storeadmin/v3/mailinglist.csv');
    saveFile(`mailing-list-${new Date().toISOString().slice(0, 10)}.csv`, file);
    notify('The mailing list is in your downloads.');
  });
  return (
    <Card
      title="Mailing list"
      note="Contacts that said yes when they subscribed, and have not left since."
      aside={
        <button
          type="button"
          class="small secondary"
          disabled={download.isBusy}
          aria-busy={download.isBusy}
          onClick={() => void download.start()}
        >
          Download CSV
        </button>
      }
    >
      <Failure error={download.error} />
      <Loaded query={list}>
        {({ mailingList }) =>
          mailingList.edges.length === 0 ? (
            <Empty title="Nobody has opted in yet">Send addtomailinglist=1 with a subscription.</Empty>
          ) : (
            <>
              <p>{formatNumber(mailingList.totalCount)} in all.</p>
              <Table
                caption="Mailing list"
                rows={mailingList.edges.map(({ node }) => node)}
                keyOf={({ medium, mediumvalue }) => `${medium} ${mediumvalue}`}
                columns={[
                  { label: 'Contact', cell: ({ mediumvalue }) => mediumvalue },
                  { label: 'Medium', cell: ({ medium }) => medium },
                  { label: 'Since', cell: ({ signuptime }) => formatMoment(signuptime) },
                  { label: 'Source', cell: ({ acceptsource }) => acceptsource },
                ]}
              />
              <Pager
                trail={trail}
                pageInfo={mailingList.pageInfo}
                isStale={list.isStale}
                labels={['Newer', 'Older']}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
