import type { ComponentChild, ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RegionDocument } from '../../generated/dashboard.ts';
import type { Run, StoreInfo } from './api.ts';
import { setRegion } from './format.ts';
import { AlertsPage } from './pages/alerts.tsx';
import { IntegrationsPage } from './pages/integrations.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ProductPage } from './pages/product.tsx';
import { ProductsPage } from './pages/products.tsx';
import { RevenuePage } from './pages/revenue.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { ShopperPage } from './pages/shopper.tsx';
import { ShoppersPage } from './pages/shoppers.tsx';
import { StoresPage } from './pages/stores.tsx';
import { TopicPage } from './pages/topic.tsx';
import { TopicsPage } from './pages/topics.tsx';
import { DialogHost } from './parts/dialog.tsx';
import { Button, PageHead } from './parts/layout.tsx';
import { StoreSwitcher } from './parts/store-switcher.tsx';
import { hrefTo, useRoute } from './route.ts';
import type { Route } from './route.ts';
import { SessionContext, TOAST_MS, useQuery } from './session.ts';
import type { Operator, Session } from './session.ts';
import { UnsavedGuard, leaveWith } from './unsaved.tsx';

/** Shows the pages once the time zone and currency are known; if they cannot be loaded, in the reader's own. */
export function Region({ children }: { children: ComponentChildren }) {
  const store = useQuery(RegionDocument, {});
  const { page } = useRoute();
  const last = useRef(page);
  useEffect(() => {
    // The settings page may have changed both.
    if (last.current === 'settings' && page !== 'settings') store.reload();
    last.current = page;
  }, [page]);
  if (store.data === null && store.isLoading) return null;
  if (store.data) setRegion(store.data.store);
  return <>{children}</>;
}

function DemoNotice() {
  return (
    <aside class="notice" aria-label="About the demo store">
      <span>
        <strong>Demo store:</strong> nothing leaves this machine. Mails and text messages become files, which
        the <a href="/demo">demo shop</a> shows; webhooks and a mail server of its own are refused, because
        they would call out. Everything else works.
      </span>
    </aside>
  );
}

type Page = { page: string; title: string; show: (rest: string) => ComponentChild };

const STORES: Page = { page: 'stores', title: 'Stores', show: () => <StoresPage /> };

const PAGES: Page[] = [
  { page: 'overview', title: 'Overview', show: () => <OverviewPage /> },
  { page: 'alerts', title: 'Alerts', show: () => <AlertsPage /> },
  {
    page: 'topics',
    title: 'Topics',
    show: (rest) => (rest === '' ? <TopicsPage /> : <TopicPage key={rest} name={rest} />),
  },
  { page: 'revenue', title: 'Revenue', show: () => <RevenuePage /> },
  {
    page: 'products',
    title: 'Products',
    show: (rest) => (rest === '' ? <ProductsPage /> : <ProductPage key={rest} epi={rest} />),
  },
  {
    page: 'shoppers',
    title: 'Shoppers',
    show: (rest) => (rest === '' ? <ShoppersPage /> : <ShopperPage key={rest} uid={rest} />),
  },
  { page: 'integrations', title: 'Integrations', show: () => <IntegrationsPage /> },
  { page: 'settings', title: 'Settings', show: () => <SettingsPage /> },
];

function useToast(): [string, (message: string) => void] {
  const [message, setMessage] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notify = useCallback((text: string) => {
    clearTimeout(timer.current);
    setMessage(text);
    timer.current = setTimeout(() => setMessage(''), TOAST_MS);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [message, notify];
}

/** Sets the tab's title, and moves the focus to the heading after a page change, but not at sign-in. */
function useAnnouncedPage(title: string, { page, rest }: Route): void {
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · wishgate`;
    if (!isFirst.current) {
      scrollTo(0, 0);
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [page, rest]);
}

function SkipLink() {
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return (
    <a class="skip" href="#main" onClick={skip}>
      Skip to the content
    </a>
  );
}

type HeadProps = { name: string; isOperator: boolean; pages: Page[]; current: string; onSignOut: () => void };

function Head({ name, isOperator, pages, current, onSignOut }: HeadProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <header class="shell-head">
      <div class="shell-bar">
        <div class="brand">
          <span class="brand-mark" aria-hidden="true">
            ♥
          </span>
          <div>
            <strong>{name}</strong>
            <span class="muted">{isOperator ? 'You are an operator' : 'wishgate dashboard'}</span>
          </div>
        </div>
        {isOperator && <StoreSwitcher />}
        <button
          type="button"
          class="small secondary outline menu-button"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <nav id="pages" aria-label="Pages" class={isOpen ? 'is-open' : undefined}>
          <ul class="plain-list">
            {pages.map(({ page, title }) => (
              <li key={page}>
                <a
                  href={hrefTo(page)}
                  aria-current={page === current ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Button onClick={() => leaveWith(onSignOut)}>Sign out</Button>
      </div>
    </header>
  );
}

type ShellProps = {
  store: StoreInfo | null;
  run: Run;
  operator: Operator | null;
  onSignOut: () => Promise<void>;
};

export function Shell({ store, run, operator, onSignOut }: ShellProps) {
  // The page with all stores comes first if no store is open.
  const pages = [...(store ? PAGES : []), ...(operator ? [STORES] : [])];
  const asked = useRoute();
  // Without an open store only this page exists, whatever the URL is.
  const route = store === null ? { ...asked, page: STORES.page, rest: '' } : asked;
  const pid = store?.pid ?? '';
  const [name, rename] = useState(store?.name ?? 'All stores');
  const [message, notify] = useToast();
  const session: Session = useMemo(
    () => ({ pid, run, operator, notify, rename }),
    [pid, run, operator, notify],
  );
  const leave = (): void => {
    onSignOut().catch((error: Error) => notify(`You are still signed in. ${error.message}`));
  };
  const page = pages.find((entry) => entry.page === route.page);
  useAnnouncedPage(page?.title ?? 'Dashboard', route);
  const shown = page?.show(route.rest) ?? (
    <PageHead title="There is no such page" lead={<a href={hrefTo('overview')}>Go to the overview</a>} />
  );
  return (
    <SessionContext.Provider value={session}>
      <DialogHost>
        <SkipLink />
        <div class="shell">
          <Head
            name={name}
            isOperator={operator !== null}
            pages={pages}
            current={route.page}
            onSignOut={leave}
          />
          <main id="main" tabIndex={-1}>
            {store?.isDemo && <DemoNotice />}
            {store ? <Region>{shown}</Region> : shown}
          </main>
        </div>
        <div class="toast" role="status">
          {message}
        </div>
        <UnsavedGuard />
      </DialogHost>
    </SessionContext.Provider>
  );
}
