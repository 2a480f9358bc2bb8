import { render } from 'preact';
import type { JSX } from 'preact';
import { AlertsView } from './alerts.tsx';
import { noteClick } from './cart.ts';
import { CartView } from './checkout.tsx';
import { Counter } from './counter.tsx';
import { Dialogs } from './dialogs.tsx';
import { Lists, SharedList } from './lists.tsx';
import { AwayBar, Toasts } from './overlay.tsx';
import { Icon } from './parts.tsx';
import { useRoute } from './route.ts';
import { ProductPage, Shelf } from './shelf.tsx';
import { Shop, useShopState } from './state.ts';
import './shop.css';

type Shared = ReturnType<typeof useShopState>;

/** A number on an icon; it takes no room, so that nothing moves when it becomes known. */
function Count({ of: count }: { of: number }): JSX.Element | null {
  return count > 0 ? <span class="count">{count}</span> : null;
}

function Header({ shop, view }: { shop: Shared; view: string }): JSX.Element {
  const saved = shop.lists.reduce((sum, { cnt }) => sum + cnt, 0);
  const inCart = Object.values(shop.cart).reduce((sum, qty) => sum + qty, 0);
  const current = (name: string): 'page' | undefined => (view === name ? 'page' : undefined);
  const account = (): void => {
    if (shop.email === null)
      shop.open({ kind: 'login', reason: 'Log in, and what you saved as a guest comes with you.' });
    else void shop.logout();
  };
  return (
    <header class="top">
      <a class="brand" href="#/">
        Hearth &amp; Loom
      </a>
      <nav aria-label="Shop">
        <a href="#/lists" aria-current={current('lists')}>
          <Icon name="heart" /> Lists <Count of={saved} />
        </a>
        <a href="#/alerts" aria-current={current('alerts')}>
          <Icon name="bell" /> Alerts <Count of={shop.alerts.length} />
        </a>
        <a href="#/cart" aria-current={current('cart')}>
          <Icon name="bag" /> Cart <Count of={inCart} />
        </a>
        <a href="#/counter" aria-current={current('counter')}>
          <Icon name="shop" /> Counter
        </a>
      </nav>
      <button type="button" class="button plain account" onClick={account}>
        <Icon name="person" />
        <span class="who">
          {shop.email === null ? 'Log in' : 'Log out'}
          {shop.email !== null && <span class="address">{shop.email}</span>}
        </span>
      </button>
    </header>
  );
}

function View({ view, name }: { view: string; name: string }): JSX.Element {
  if (view === 'lists') return <Lists lid={name} />;
  if (view === 'cart') return <CartView />;
  if (view === 'alerts') return <AlertsView />;
  if (view === 'counter') return <Counter />;
  if (view === 'shared') return <SharedList lid={name} />;
  return view === 'p' ? <ProductPage key={name} slug={name} /> : <Shelf />;
}

function App(): JSX.Element {
  const shop = useShopState();
  const [view, name] = useRoute();
  return (
    <Shop.Provider value={shop}>
      <Header shop={shop} view={view} />
      <main>
        <View view={view} name={name} />
      </main>
      <footer>
        A demo of <a href="/">wishgate</a>. Nothing here is for sale, and no mail leaves this machine.
      </footer>
      <AwayBar />
      <Dialogs />
      <Toasts />
    </Shop.Provider>
  );
}

noteClick();
render(<App />, document.querySelector('#app')!);
