import { render } from 'preact';
import { useReducer } from 'preact/hooks';
import { AlertsView } from './alerts.tsx';
import { followCart, noteClick } from './cart.ts';
import { CartView } from './checkout.tsx';
import { Account, Login } from './dialogs.tsx';
import { Lists, SharedList } from './lists.tsx';
import { AwayBar, Toasts } from './overlay.tsx';
import { Button, Empty, Icon } from './parts.tsx';
import type { IconName } from './parts.tsx';
import { focusHeading, followRoute, open, useArrival } from './route.ts';
import { ProductPage, Shelf } from './shelf.tsx';
import { onUpdate, shop } from './state.ts';
import { TestPanel } from './test-panel.tsx';
import { followWishes } from './wishes.ts';
import './shop.css';

type NavLinkProps = { view: string; icon: IconName; name: string; count?: number };

/** The count takes no space, so that nothing moves when it loads. */
function NavLink({ view, icon, name, count = 0 }: NavLinkProps) {
  return (
    <a href={`#/${view}`} aria-current={shop.route[0] === view ? 'page' : undefined}>
      <Icon name={icon} /> {name} {count > 0 && <span class="count">{count}</span>}
    </a>
  );
}

function Header() {
  const { lists, cart, alerts, email } = shop;
  const saved = lists.reduce((sum, { cnt }) => sum + cnt, 0);
  const AccountDialog = email === null ? Login : Account;
  const inCart = Object.values(cart).reduce((sum, qty) => sum + qty, 0);
  return (
    <header class="flex top">
      <a class="brand" href="#/">
        Hearth &amp; Loom
      </a>
      <nav aria-label="Shop">
        <NavLink view="lists" icon="heart" name="Lists" count={saved} />
        <NavLink view="alerts" icon="bell" name="Alerts" count={alerts?.length} />
        <NavLink view="cart" icon="bag" name="Cart" count={inCart} />
        <NavLink view="test-panel" icon="shop" name="Test panel" />
      </nav>
      <Button class="plain account" onClick={() => open(() => <AccountDialog />)}>
        <Icon name="person" />
        <span class="who">
          {email === null ? 'Sign in' : 'Account'}
          {email !== null && <span class="address">{email}</span>}
        </span>
      </Button>
    </header>
  );
}

function View() {
  const [view, name] = shop.route;
  if (view === 'lists') return <Lists lid={name} />;
  if (view === 'cart') return <CartView />;
  if (view === 'alerts') return <AlertsView />;
  if (view === 'test-panel') return <TestPanel />;
  if (view === 'shared') return <SharedList key={name} lid={name} />;
  if (view === 'p') return <ProductPage key={name} slug={name} />;
  return view === '' ? <Shelf /> : <Empty title="Not found" text="This page doesn't exist." />;
}

function skip(event: Event): void {
  event.preventDefault();
  focusHeading();
}

function App() {
  const [, redraw] = useReducer<number, void>((draws) => draws + 1, 0);
  onUpdate(redraw);
  useArrival();
  return (
    <>
      <a class="button primary skip" href="#content" onClick={skip}>
        Skip to content
      </a>
      <Header />
      <main id="content">
        <View />
      </main>
      <footer class="hint">
        A demo of <a href="/">wishgate</a>. Nothing here is for sale, and the demo sends no email or SMS.
      </footer>
      <AwayBar />
      {shop.dialog?.()}
      <Toasts />
    </>
  );
}

noteClick();
followCart();
followRoute();
followWishes();
render(<App />, document.querySelector('#app')!);
