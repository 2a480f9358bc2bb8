import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { SettingsDocument } from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment } from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { ApiKeys } from '../parts/api-keys.tsx';
import { BrandCard } from '../parts/brand.tsx';
import { Badge, Loaded, Page } from '../parts/layout.tsx';
import { MailServer } from '../parts/mail-server.tsx';
import { SettingsCard } from '../parts/store-settings.tsx';
import { hrefTo } from '../route.ts';
import { useQuery } from '../session.ts';

type Given = {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
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
  const settings = useQuery(SettingsDocument, {});
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
