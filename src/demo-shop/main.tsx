import { render } from 'preact';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noteClick } from './cart.ts';
import { CartView } from './checkout.tsx';
import { Counter } from './counter.tsx';
import { Dialogs } from './dialogs.tsx';
import { Lists, SharedList } from './lists.tsx';
import { Icon, Toasts } from './parts.tsx';
import { Shelf } from './shelf.tsx';
import { Shop, useShopState } from './state.ts';
import './shop.css';

/** A part of the address as text; what is no valid encoding stays as it is, and nothing has that name. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The part of the address after `#/`: a view and what it shows. */
function useRoute(): [string, string] {
  const read = (): [string, string] => {
    const [view = '', name = ''] = location.hash.replace(/^#\/?/, '').split('/');
    return [view, decode(name)];
  };
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const follow = (): void => {
      setRoute(read());
      scrollTo(0, 0);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

type Shared = ReturnType<typeof useShopState>;

function Header({ shop, view }: { shop: Shared; view: string }): JSX.Element {
  const saved = (shop.lists ?? []).reduce((sum, { cnt }) => sum + cnt, 0);
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
          <Icon name="heart" /> Lists {saved > 0 && <span class="count">{saved}</span>}
        </a>
        <a href="#/cart" aria-current={current('cart')}>
          <Icon name="bag" /> Cart {inCart > 0 && <span class="count">{inCart}</span>}
        </a>
        <a href="#/counter" aria-current={current('counter')}>
          <Icon name="mail" /> Counter
        </a>
      </nav>
      <button type="button" class="button plain account" onClick={account}>
        <Icon name="person" />
        <span>{shop.email === null ? 'Log in' : 'Log out'}</span>
        {shop.email !== null && <span class="address">{shop.email}</span>}
      </button>
    </header>
  );
}

function View({ view, name }: { view: string; name: string }): JSX.Element {
  if (view === 'lists') return <Lists />;
  if (view === 'cart') return <CartView />;
  if (view === 'counter') return <Counter />;
  return view === 'shared' ? <SharedList lid={name} /> : <Shelf slug={name} />;
}

function App(): JSX.Element {
  const shop = useShopState();
  const [view, name] = useRoute();
  return (
    <Shop.Provider value={shop}>
      <Header shop={shop} view={view} />
      <main>
        {shop.problem && (
          <div class="problem" role="alert">
            <span>{shop.problem}</span>
            <button type="button" class="button" onClick={() => void shop.reload()}>
              Try again
            </button>
          </div>
        )}
        <View view={view} name={name} />
      </main>
      <footer>
        A demo of <a href="/">wishgate</a>. Nothing here is for sale, and no mail leaves this machine.
      </footer>
      <Dialogs />
      <Toasts />
    </Shop.Provider>
  );
}

noteClick();
render(<App />, document.querySelector('#app')!);
