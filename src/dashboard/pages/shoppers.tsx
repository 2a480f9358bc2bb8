import { useState } from 'preact/hooks';
import { AuditLogDocument, EraseShopperDocument, FindShopperDocument } from '../../generated/dashboard.ts';
import type { AuditLogQuery, FindShopperQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatBytes, formatMoment } from '../format.ts';
import { saveFile } from '../download.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Badge, Empty, Failure, Loaded } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { DeletedLists } from '../parts/deleted-lists.tsx';
import { MailingList } from '../parts/mailing-list.tsx';
import { useAction, useQuery, useSession, useShopperChanges } from '../session.ts';

type Shopper = NonNullable<FindShopperQuery['findShopper']>;

function Facts({ shopper: { regid, uid, isGuest, storage, lists, userinfo } }: { shopper: Shopper }) {
  const facts: [string, string][] = [
    ['E-mail', userinfo.em ?? '–'],
    ['Name', [userinfo.fname, userinfo.lname].filter(Boolean).join(' ') || '–'],
    ['Mobile', userinfo.m ?? '–'],
    ['Accepts marketing', userinfo.acc_mkt ? 'yes' : 'no'],
    ['Tags', userinfo.extags.join(', ') || '–'],
    ['First seen', formatMoment(userinfo.cts)],
    ['Last login', formatMoment(userinfo.lastlogin)],
    ['Lists', String(lists?.totalCount ?? 0)],
    ['Storage', `${formatBytes(storage.used)} of ${formatBytes(storage.allowed)}`],
    ['User id', uid],
    ['regid', regid],
  ];
  return (
    <>
      <p>
        <Badge tone={isGuest ? 'plain' : 'good'}>{isGuest ? 'guest' : 'account'}</Badge>
      </p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Found({
  shopper,
  onErased,
  onChanged,
  onMoved,
}: {
  shopper: Shopper;
  /** The shopper's lists are other ones now. */
  onMoved: () => void;
  onErased: () => void;
  onChanged: () => void;
}) {
  const { run, notify } = useSession();
  const [isErasing, setErasing] = useState(false);
  const { regid } = shopper;
  useShopperChanges(regid, onMoved);
  const download = useAction(async () => {
    const file = await run.download('/storeadmin/v3/user/export', { regid });
    saveFile(`shopper-${new Date().toISOString().slice(0, 10)}.json`, file);
    notify('The export is in your downloads.');
    onChanged();
  });
  return (
    <div class="found">
      <Facts shopper={shopper} />
      <DeletedLists key={regid} regid={regid} />
      <Failure error={download.error} />
      <div class="buttons">
        <button
          type="button"
          class="secondary"
          disabled={download.isBusy}
          aria-busy={download.isBusy}
          onClick={() => void download.start()}
        >
          Export as JSON
        </button>
        <button type="button" class="danger outline" onClick={() => setErasing(true)}>
          Erase…
        </button>
      </div>
      {isErasing && (
        <Confirm
          title="Erase this shopper?"
          action="Erase for ever"
          phrase={shopper.userinfo.em ?? 'ERASE'}
          onClose={() => setErasing(false)}
          onConfirm={async () => {
            await run(EraseShopperDocument, { regid });
            notify('The shopper is erased.');
            setErasing(false);
            onErased();
          }}
        >
          Lists, items, subscriptions, messages and everything that names the person are deleted, and all
          sessions end. It cannot be undone.
        </Confirm>
      )}
    </div>
  );
}

function Lookup({ onChanged }: { onChanged: () => void }) {
  const { run } = useSession();
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ shopper: Shopper | null } | null>(null);
  const find = useAction(async () => {
    setFound(null);
    const name = text.trim();
    const { findShopper } = await run(
      FindShopperDocument,
      name.includes('@') ? { useremail: name } : { regid: name },
    );
    setFound({ shopper: findShopper });
  });
  const renew = async ({ regid }: Shopper): Promise<void> => {
    const { findShopper } = await run(FindShopperDocument, { regid });
    // Somebody else may have been looked up meanwhile.
    setFound((now) => (now?.shopper?.regid === regid ? { shopper: findShopper } : now));
  };
  const forget = (): void => {
    setFound(null);
    setText('');
    onChanged();
  };
  return (
    <Card title="Find a shopper" note="For access and erasure requests. What you type is not kept anywhere.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void find.start();
        }}
      >
        <TextField
          label="E-mail address or regid"
          required
          value={text}
          onValue={setText}
          autocomplete="off"
          spellcheck={false}
        />
        <div class="buttons">
          <button type="submit" disabled={find.isBusy} aria-busy={find.isBusy}>
            Find
          </button>
        </div>
      </form>
      <Failure error={find.error} />
      <div role="status">
        {found?.shopper === null && (
          <Empty title="No such shopper">Check the spelling; a guest has no e-mail address.</Empty>
        )}
      </div>
      {found?.shopper && (
        <Found
          shopper={found.shopper}
          onMoved={() => void renew(found.shopper!).catch(() => undefined)}
          onErased={forget}
          onChanged={onChanged}
        />
      )}
    </Card>
  );
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

/** Look up a shopper, export or erase what is known, see who wants the mailing list, and what was done before. */
export function ShoppersPage() {
  const audit = useQuery(AuditLogDocument, { first: 50 });
  // An erasure takes somebody off the mailing list, too.
  const [changes, setChanges] = useState(0);
  return (
    <>
      <PageHead title="Shoppers" />
      <Lookup
        onChanged={() => {
          audit.reload();
          setChanges((count) => count + 1);
        }}
      />
      <MailingList key={changes} />
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
                    cell: ({ action }) => (
                      <Badge tone={action === 'erase' ? 'warn' : 'plain'}>{action}</Badge>
                    ),
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
    </>
  );
}
