import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RegionDocument } from '../../generated/dashboard.ts';
import type { Api, StoreInfo } from './api.ts';
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
import { StoreSwitcher, StoresPage } from './pages/stores.tsx';
import { TopicPage } from './pages/topic.tsx';
import { TopicsPage } from './pages/topics.tsx';
import { DialogHost } from './parts/dialog.tsx';
import { Button, Page } from './parts/layout.tsx';
import { hrefTo, useRoute } from './route.ts';
import type { Route } from './route.ts';
import { SessionContext, TOAST_MS, useQuery } from './session.ts';
import type { Operator, Session } from './session.ts';
import { UnsavedGuard, leaveWith } from './unsaved.tsx';

/** Shows the pages once the time zone and currency are known; if they cannot be loaded, in the reader's own. */
function Region({ children }: { children: ComponentChildren }) {
  const { data, isLoading } = useQuery(RegionDocument, {});
  // Once for each response, because the settings page sets the region, too.
  useMemo(() => data && setRegion(data.store), [data]);
  return data === null && isLoading ? null : <>{children}</>;
}

/** Pages by their name in the URL, and the rest of the URL that they show. */
const PAGES: Record<string, (rest: string) => VNode> = {
  overview: () => <OverviewPage />,
  alerts: () => <AlertsPage />,
  topics: (rest) => (rest ? <TopicPage key={rest} name={rest} /> : <TopicsPage />),
  revenue: () => <RevenuePage />,
  products: (rest) => (rest ? <ProductPage key={rest} epi={rest} /> : <ProductsPage />),
  shoppers: (rest) => (rest ? <ShopperPage key={rest} uid={rest} /> : <ShoppersPage />),
  integrations: () => <IntegrationsPage />,
  settings: () => <SettingsPage />,
  stores: () => <StoresPage />,
};

const titleOf = (page: string): string => page.charAt(0).toUpperCase() + page.slice(1);

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

type HeadProps = {
  name: string;
  isOperator: boolean;
  pages: string[];
  current: string;
  onSignOut: () => void;
};

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
            {pages.map((page) => (
              <li key={page}>
                <a
                  href={hrefTo(page)}
                  aria-current={page === current ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {titleOf(page)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Button text="Sign out" onClick={() => leaveWith(onSignOut)} />
      </div>
    </header>
  );
}

type ShellProps = {
  store: StoreInfo | null;
  api: Api;
  operator: Operator | null;
  onSignOut: () => Promise<void>;
};

export function Shell({ store, api, operator, onSignOut }: ShellProps) {
  const isOperator = operator !== null;
  const pages = Object.keys(PAGES).filter((page) => (page === 'stores' ? isOperator : store));
  const asked = useRoute();
  // Without an open store only this page exists, whatever the URL is.
  const route = store === null ? { ...asked, page: 'stores', rest: '' } : asked;
  const pid = store?.pid ?? '';
  const [name, rename] = useState(store?.name ?? 'All stores');
  const [message, notify] = useToast();
  const session: Session = useMemo(
    () => ({ pid, ...api, operator, notify, rename }),
    [pid, api, operator, notify],
  );
  const leave = (): void => {
    onSignOut().catch((error: Error) => notify(`You are still signed in. ${error.message}`));
  };
  const page = pages.find((known) => known === route.page);
  useAnnouncedPage(page ? titleOf(page) : 'Dashboard', route);
  const shown = page ? (
    PAGES[page]!(route.rest)
  ) : (
    <Page title="There is no such page" lead={<a href={hrefTo('overview')}>Go to the overview</a>} />
  );
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return (
    <SessionContext.Provider value={session}>
      <DialogHost>
        <a class="skip" href="#main" onClick={skip}>
          Skip to the content
        </a>
        <div class="shell">
          <Head {...{ name, isOperator, pages }} current={route.page} onSignOut={leave} />
          <main id="main" tabIndex={-1}>
            {store?.isDemo && (
              <aside class="notice" aria-label="About the demo store">
                <span>
                  <strong>Demo store:</strong> nothing leaves this machine. Mails and text messages become
                  files, which the <a href="/demo">demo shop</a> shows; webhooks and a mail server of its own
                  are refused, because they would call out. Everything else works.
                </span>
              </aside>
            )}
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
