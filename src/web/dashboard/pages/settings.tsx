import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { SecretDialog } from '../parts/dialog.tsx';
import { Confirm, FormDialog } from '../parts/form.tsx';
import { Badge, Button, Card, Loaded, Page, Table } from '../parts/layout.tsx';
import { MailServer } from '../parts/mail-server.tsx';
import { BrandCard, SettingsCard } from '../parts/store-settings.tsx';
import type { StoreProps } from '../parts/store-settings.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { find, rich, t } from '../text.ts';
import type { TextKey } from '../text.ts';

type Key = gql.StoreSettingsFragment['apiKeys'][number];

function ApiKeys({ store }: StoreProps) {
  const { run } = useSession();
  const create = async (name: string) => {
    const { createApiKey } = await run(gql.CreateApiKeyDocument, { name });
    const secrets = [{ label: t('signIn.key'), value: createApiKey.apiKey }];
    return <SecretDialog title={t('key.new')} secrets={secrets} />;
  };
  const rename = async ({ id, hint }: Key, name: string) => {
    await run(gql.RenameApiKeyDocument, { id, name });
    return t('key.renamed', { hint });
  };
  const nameForm = (renamed?: Key) => (
    <FormDialog
      title={renamed ? t('key.renameTitle', { hint: renamed.hint }) : t('key.create')}
      label={t(renamed ? 'common.save' : 'key.submit')}
      field={{
        label: t('key.name'),
        maxLength: 60,
        initial: renamed?.name,
        placeholder: t('key.nameSample'),
        hint: t('key.nameHint'),
      }}
      onSubmit={(name) => (renamed ? rename(renamed, name) : create(name))}
    />
  );
  const revoke = ({ id, name, hint }: Key) => {
    const label = name ? `${name} (…${hint})` : `…${hint}`;
    const submit = async () => {
      await run(gql.RevokeApiKeyDocument, { id });
      return t('key.revoked', { key: label });
    };
    return (
      <Confirm title={t('key.revokeTitle')} label={t('key.revoke')} onSubmit={submit}>
        {rich('key.revokeText', { key: <span class="code">{label}</span> })}
      </Confirm>
    );
  };
  return (
    <Card
      title={t('settings.keys')}
      note={t('key.note')}
      aside={<Button text={t('key.add')} look="small" opens={nameForm()} />}
    >
      <Table
        caption={t('settings.keys')}
        rows={store.apiKeys}
        keyOf={({ id }) => id}
        columns={[
          {
            label: 'key.key',
            cell: ({ name, hint, isCurrent }) => (
              <>
                {name && <strong>{find(`key.name.${name}`) ?? name} </strong>}
                <span class="code">…{hint}</span> {isCurrent && <Badge tone="good">{t('key.current')}</Badge>}
              </>
            ),
          },
          {
            label: 'key.lastUsed',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('key.never') : formatMoment(lastUsedAt)),
          },
          { label: 'key.created', time: ({ cts }) => cts },
          {
            label: 'common.actions',
            actions: (key) => (
              <>
                <Button
                  text={t('key.rename')}
                  label={t('key.renameLabel', { hint: key.hint })}
                  opens={nameForm(key)}
                />
                {!key.isCurrent && (
                  <Button
                    text={t('key.revoke')}
                    look="small danger outline"
                    label={t('key.revokeLabel', { hint: key.hint })}
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

function GeneralCard(given: StoreProps) {
  const { pid, cts, inventoryManaged } = given.store;
  const note = rich('settings.since', { pid: <span class="code">{pid}</span>, date: formatMoment(cts) });
  const badge = (
    <Badge tone={inventoryManaged ? 'good' : 'warn'}>
      {t(inventoryManaged ? 'settings.inventory' : 'settings.noInventory')}
    </Badge>
  );
  return <SettingsCard card="general" {...given} note={note} aside={badge} />;
}

const SECTIONS: [id: string, title: TextKey, show: (given: StoreProps) => ComponentChild][] = [
  ['general', 'settings.general', (given) => <GeneralCard {...given} />],
  ['identity', 'settings.identity', (given) => <SettingsCard card="identity" {...given} />],
  ['lists', 'settings.lists', (given) => <SettingsCard card="lists" {...given} />],
  ['brand', 'settings.brand', (given) => <BrandCard {...given} />],
  ['schedule', 'settings.frequency', (given) => <SettingsCard card="frequency" {...given} />],
  ['clicks', 'settings.clicks', (given) => <SettingsCard card="clicks" {...given} />],
  ['keys', 'settings.keys', (given) => <ApiKeys {...given} />],
  // Last, because it loads separately and would move anything below it.
  ['mail-server', 'settings.mailServer', ({ store }) => <MailServer {...store} />],
];

function goTo(id: string): void {
  const section = document.getElementById(`section-${id}`);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

function SectionLinks() {
  return (
    <nav class="section-links" aria-label={t('settings.sections')}>
      <ul class="plain-list">
        {SECTIONS.map(([id, title]) => (
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
              {t(title)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Sections(given: StoreProps) {
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
      {SECTIONS.map(([id, , show]) => (
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
    <Page title={t('page.settings')}>
      <SectionLinks />
      <Loaded query={settings} lines={8}>
        {({ store }) => <Sections store={store} onSaved={(saved) => settings.replace({ store: saved })} />}
      </Loaded>
    </Page>
  );
}
