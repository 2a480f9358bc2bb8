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
import { LanguageSelect } from './parts/language-select.tsx';
import { Button, Page } from './parts/layout.tsx';
import { hrefTo, useRoute } from './route.ts';
import type { Route } from './route.ts';
import { SessionContext, TOAST_MS, useQuery } from './session.ts';
import type { Operator, Session } from './session.ts';
import { rich, t } from './text.ts';
import { UnsavedGuard, leaveWith } from './unsaved.tsx';

/** Shows the pages once the time zone and currency are known; if they cannot be loaded, in the reader's own. */
function Region({ onReady, children }: { onReady: () => void; children: ComponentChildren }) {
  const { data, isLoading } = useQuery(RegionDocument, {});
  // Once for each response, because the settings page sets the region, too.
  useMemo(() => data && setRegion(data.store), [data]);
  const isReady = data !== null || !isLoading;
  useEffect(() => {
    if (isReady) onReady();
  }, [isReady]);
  return isReady ? <>{children}</> : null;
}

/** Pages by their name in the URL, and the rest of the URL that they show. */
const PAGES = {
  overview: (_rest: string) => <OverviewPage />,
  alerts: () => <AlertsPage />,
  topics: (rest) => (rest ? <TopicPage key={rest} name={rest} /> : <TopicsPage />),
  revenue: () => <RevenuePage />,
  products: (rest) => (rest ? <ProductPage key={rest} epi={rest} /> : <ProductsPage />),
  shoppers: (rest) => (rest ? <ShopperPage key={rest} uid={rest} /> : <ShoppersPage />),
  integrations: () => <IntegrationsPage />,
  settings: () => <SettingsPage />,
  stores: () => <StoresPage />,
} satisfies Record<string, (rest: string) => VNode>;

type PageName = keyof typeof PAGES;

function useToast(): [string, (message: string) => void] {
  const [message, setMessage] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notify = useCallback((text: string) => {
    clearTimeout(timer.current);
    setMessage(text);
    timer.current = setTimeout(() => setMessage(''), TOAST_MS);
  }, []);
  return [message, notify];
}

const focusHeading = (): void =>
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });

/** Sets the tab's title, and moves the focus to the heading after sign-in and after each page change, but not after a reload. */
function useAnnouncedPage(title: string, { page, rest }: Route, hasSignedIn: boolean): void {
  const isAnnounced = useRef(hasSignedIn);
  useEffect(() => {
    document.title = `${title} · wishgate`;
    if (isAnnounced.current) {
      scrollTo(0, 0);
      focusHeading();
    }
    isAnnounced.current = true;
  }, [page, rest]);
}

type HeadProps = {
  name: string;
  isOperator: boolean;
  pages: PageName[];
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
            <span class="muted">{t(isOperator ? 'shell.operator' : 'shell.subtitle')}</span>
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
          {t('shell.menu')}
        </button>
        <nav id="pages" aria-label={t('shell.pages')} class={isOpen ? 'is-open' : undefined}>
          <ul class="plain-list">
            {pages.map((page) => (
              <li key={page}>
                <a
                  href={hrefTo(page)}
                  aria-current={page === current ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {t(`page.${page}`)}
                </a>
              </li>
            ))}
          </ul>
          <LanguageSelect />
        </nav>
        <Button text={t('shell.signOut')} onClick={() => leaveWith(onSignOut)} />
      </div>
    </header>
  );
}

const CLOSED_NOTICE = 'wishgate-demo-notice';

function DemoNotice() {
  const [isClosed, setClosed] = useState(sessionStorage.getItem(CLOSED_NOTICE) !== null);
  if (isClosed) return null;
  const close = (): void => {
    sessionStorage.setItem(CLOSED_NOTICE, 'closed');
    setClosed(true);
    focusHeading();
  };
  return (
    <aside class="notice closable" aria-label={t('demo.label')}>
      <span>
        {rich('demo.text', {
          title: <strong>{t('demo.title')}</strong>,
          link: <a href="/demo">{t('demo.shop')}</a>,
        })}
      </span>
      <Button text="✕" look="icon plain-button" label={t('demo.close')} onClick={close} />
    </aside>
  );
}

type ShellProps = {
  store: StoreInfo | null;
  api: Api;
  operator: Operator | null;
  /** Whether the user has just signed in or chosen the store, rather than reloaded the page. */
  hasSignedIn: boolean;
  onSignOut: () => Promise<void>;
};

export function Shell({ store, api, operator, hasSignedIn, onSignOut }: ShellProps) {
  const isOperator = operator !== null;
  const pages = (Object.keys(PAGES) as PageName[]).filter((page) => (page === 'stores' ? isOperator : store));
  const asked = useRoute();
  // Without an open store only this page exists, whatever the URL is.
  const route = store === null ? { ...asked, page: 'stores', rest: '' } : asked;
  const pid = store?.pid ?? '';
  const [name, rename] = useState(store?.name ?? t('shell.allStores'));
  const [message, notify] = useToast();
  const isDemo = store?.isDemo ?? false;
  const session: Session = useMemo(
    () => ({ pid, isDemo, ...api, operator, notify, rename }),
    [pid, isDemo, api, operator, notify],
  );
  const leave = (): void => {
    onSignOut().catch((error: Error) => notify(t('shell.stillSignedIn', { error: error.message })));
  };
  const page = pages.find((known) => known === route.page);
  useAnnouncedPage(t(page ? `page.${page}` : 'shell.dashboard'), route, hasSignedIn);
  const shown = page ? (
    PAGES[page](route.rest)
  ) : (
    <Page title={t('shell.notFound')} lead={<a href={hrefTo('overview')}>{t('shell.toOverview')}</a>} />
  );
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return (
    <SessionContext.Provider value={session}>
      <DialogHost>
        <a class="skip" href="#main" onClick={skip}>
          {t('shell.skip')}
        </a>
        <div class="shell">
          <Head {...{ name, isOperator, pages }} current={route.page} onSignOut={leave} />
          <main id="main" tabIndex={-1}>
            {isDemo && <DemoNotice />}
            {store ? <Region onReady={() => hasSignedIn && focusHeading()}>{shown}</Region> : shown}
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
