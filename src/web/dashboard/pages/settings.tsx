import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { SecretDialog } from '../parts/dialog.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Badge, Button, Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { MailServer } from '../parts/mail-server.tsx';
import { BrandCard, SettingsCard } from '../parts/store-settings.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';

type Key = gql.StoreSettingsFragment['apiKeys'][number];

function ApiKeys({ keys, onChanged }: { keys: Key[]; onChanged: () => void }) {
  const { run } = useSession();
  const create = async (name: string) => {
    const { createApiKey } = await run(gql.CreateApiKeyDocument, { name });
    onChanged();
    return <SecretDialog title="New API key" label="API key" secret={createApiKey.apiKey} />;
  };
  const rename = async ({ id, hint }: Key, name: string) => {
    await run(gql.RenameApiKeyDocument, { id, name });
    onChanged();
    return `The key …${hint} has its new name.`;
  };
  const nameForm = (renamed?: Key) => (
    <FormDialog
      title={renamed ? `Rename the key …${renamed.hint}` : 'Create API key'}
      label={renamed ? 'Save name' : 'Create'}
      field={{
        label: 'Name',
        maxLength: 60,
        initial: renamed?.name,
        placeholder: 'Shop back end',
        hint: 'What it is for, so that you know later which one to revoke.',
      }}
      onSubmit={(name) => (renamed ? rename(renamed, name) : create(name))}
    />
  );
  const revoke = ({ id, name, hint }: Key) => {
    const label = name ? `${name} (…${hint})` : `…${hint}`;
    const submit = async () => {
      await run(gql.RevokeApiKeyDocument, { id });
      onChanged();
      return `The key ${label} is revoked.`;
    };
    return (
      <Confirm title="Revoke this key?" label="Revoke" onSubmit={submit}>
        Every call with the key <span class="code">{label}</span> is refused from now on. It cannot be undone.
      </Confirm>
    );
  };
  return (
    <Card
      title="API keys"
      note="To rotate: create a new one, put it in your shop's back end, then revoke the old one. Revoking also ends the dashboards that signed in with it."
      aside={<Button text="Create key" look="small" opens={nameForm()} />}
    >
      <Table
        caption="API keys"
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          {
            label: 'Key',
            cell: ({ name, hint, isCurrent }) => (
              <>
                {name && <strong>{name} </strong>}
                <span class="code">…{hint}</span> {isCurrent && <Badge tone="good">this session</Badge>}
              </>
            ),
          },
          {
            label: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : formatMoment(lastUsedAt)),
          },
          { label: 'Created', cell: ({ cts }) => formatMoment(cts) },
          {
            label: 'Actions',
            actions: (key) => (
              <>
                <Button
                  text="Rename"
                  label={`Rename the key that ends in ${key.hint}`}
                  opens={nameForm(key)}
                />
                {!key.isCurrent && (
                  <Button
                    text="Revoke"
                    look="small danger outline"
                    label={`Revoke the key that ends in ${key.hint}`}
                    opens={revoke(key)}
                  />
                )}
              </>
            ),
          },
        ]}
      />
    </Card>
  );
}

type Given = {
  store: gql.StoreSettingsFragment;
  onSaved: (store: gql.StoreSettingsFragment) => void;
  onChanged: () => void;
};

function GeneralCard(given: Given) {
  const { pid, cts, inventoryManaged } = given.store;
  const note = (
    <>
      <span class="code">{pid}</span> · since {formatMoment(cts)}
    </>
  );
  const badge = (
    <Badge tone={inventoryManaged ? 'good' : 'warn'}>
      {inventoryManaged ? 'inventory managed' : 'inventory not managed: no alerts'}
    </Badge>
  );
  return <SettingsCard card="general" {...given} note={note} aside={badge} />;
}

const SECTIONS: { id: string; title: string; show: (given: Given) => ComponentChild }[] = [
  { id: 'general', title: 'General', show: (given) => <GeneralCard {...given} /> },
  { id: 'lists', title: 'Lists', show: (given) => <SettingsCard card="lists" {...given} /> },
  { id: 'brand', title: 'Brand', show: (given) => <BrandCard {...given} /> },
  { id: 'pacing', title: 'When alerts leave', show: (given) => <SettingsCard card="frequency" {...given} /> },
  { id: 'measuring', title: 'Measuring', show: (given) => <SettingsCard card="clicks" {...given} /> },
  {
    id: 'keys',
    title: 'API keys',
    show: ({ store, onChanged }) => <ApiKeys keys={store.apiKeys} onChanged={onChanged} />,
  },
  // Last, because it loads separately and would move anything below it.
  {
    id: 'mail-server',
    title: 'Mail server',
    show: ({ store }) => <MailServer senderAddress={store.senderAddress} />,
  },
];

function goTo(id: string): void {
  const section = document.getElementById(`section-${id}`);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

function SectionLinks() {
  return (
    <nav class="section-links" aria-label="Sections">
      <ul class="plain-list">
        {SECTIONS.map(({ id, title }) => (
          <li key={id}>
            <a
              href={hrefTo('settings', id)}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                // The page stays the same, so that input in another section is not lost.
                event.preventDefault();
                history.replaceState(history.state, '', hrefTo('settings', id));
                goTo(id);
              }}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Sections(given: Given) {
  useEffect(() => {
    const follow = (): void => {
      const id = location.hash.split('/')[2];
      // Runs after the layout has scrolled to the top, as it does after every URL change.
      if (id) setTimeout(() => goTo(id));
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return (
    <>
      {SECTIONS.map(({ id, show }) => (
        <div key={id} id={`section-${id}`} class="section" tabIndex={-1}>
          {show(given)}
        </div>
      ))}
    </>
  );
}

export function SettingsPage() {
  const settings = useQuery(gql.SettingsDocument, {});
  return (
    <Page title="Settings">
      <SectionLinks />
      <Loaded query={settings} lines={8}>
        {({ store }) => (
          <Sections
            store={store}
            onSaved={(saved) => settings.replace({ store: saved })}
            onChanged={settings.reload}
          />
        )}
      </Loaded>
    </Page>
  );
}
