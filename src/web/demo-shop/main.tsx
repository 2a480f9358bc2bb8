import type {} from '@wishgate/elements/preact';
import { render } from 'preact';
import type { ComponentChildren } from 'preact';
import { useReducer } from 'preact/hooks';
import { CartView } from './cart.tsx';
import { Empty, focusHeading } from './parts.tsx';
import { ProductPage, Shelf } from './shelf.tsx';
import { onUpdate, open, shop } from './state.ts';
import { TestPanel } from './test-panel.tsx';
import { Account, Alerts, Lists, SharedList } from './views.tsx';
import './shop.css';

type NavLinkProps = { view: string; name: string; children?: ComponentChildren };

/** The count takes no space, so that nothing moves when it loads. */
const NavLink = ({ view, name, children }: NavLinkProps) => (
  <a href={`#/${view}`} aria-current={shop.route[0] === view ? 'page' : undefined}>
    {name} {children}
  </a>
);

const Count = ({ of }: { of: number }) => (of > 0 ? <span class="count">{of}</span> : null);

const Header = () => (
  <header class="flex top">
    <a class="brand" href="#/">
      Hearth &amp; Loom
    </a>
    <nav class="flex" aria-label="Shop">
      <NavLink view="lists" name="Lists">
        <wishgate-count class="count" hide-empty />
      </NavLink>
      <NavLink view="alerts" name="Alerts">
        <Count of={shop.alerts?.length ?? 0} />
      </NavLink>
      <NavLink view="cart" name="Cart">
        <Count of={Object.values(shop.cart).reduce((sum, qty) => sum + qty, 0)} />
      </NavLink>
      <NavLink view="test-panel" name="Test panel" />
      <NavLink view="account" name={shop.email === null ? 'Sign in' : 'Account'} />
    </nav>
  </header>
);

function View() {
  const [view, name] = shop.route;
  if (view === 'lists') return <Lists />;
  if (view === 'cart') return <CartView />;
  if (view === 'alerts') return <Alerts />;
  if (view === 'test-panel') return <TestPanel />;
  if (view === 'shared') return <SharedList key={name} lid={name} />;
  if (view === 'account') return <Account />;
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
  const { toast } = shop;
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
      <div class="toasts" role="status">
        {toast && <p class={toast.isError ? 'toast error' : 'toast'}>{toast.text}</p>}
      </div>
    </>
  );
}

open();
render(<App />, document.querySelector('#app')!);
