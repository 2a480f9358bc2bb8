import type { JSX } from 'preact';
import { attempt, setQuantity, subscribe, waitsFor } from './actions.ts';
import type { AlertTopic, Product } from './api.ts';
import { Notify } from './dialogs.tsx';
import { lidsOf, toggleHeart } from './list-actions.ts';
import { PickLists } from './list-dialogs.tsx';
import { Button, Icon, Picture, money } from './parts.tsx';
import { open } from './route.ts';
import { shop } from './state.ts';

export function Price({ product: { pr, fullPrice } }: { product: Product }): JSX.Element {
  return (
    <p class="price">
      {money(pr)}
      {pr < fullPrice && (
        <>
          {' '}
          <s>
            <span class="visually-hidden">instead of </span>
            {money(fullPrice)}
          </s>
        </>
      )}
    </p>
  );
}

export function Framed({ product, dt }: { product: Product; dt?: string }): JSX.Element {
  return (
    <div class="frame">
      <Picture iu={product.iu} dt={dt} />
      {product.stk <= 0 && <span class="badge">Sold out</span>}
    </div>
  );
}

export function Hearts({ product }: { product: Product }): JSX.Element {
  const isSaved = lidsOf(product.epi).length > 0;
  return (
    <div class={shop.serverLists || isSaved ? 'hearts' : 'hearts unknown'}>
      <Button
        class="round"
        isPressed={isSaved}
        label={isSaved ? `Remove ${product.dt} from your lists` : `Save ${product.dt}`}
        onClick={() => toggleHeart(product)}
      >
        <Icon name="heart" isFull={isSaved} />
      </Button>
      <Button
        class="round"
        label={`Choose lists for ${product.dt}`}
        onClick={() => open(() => <PickLists product={product} />)}
      >
        <Icon name="plus" />
      </Button>
    </div>
  );
}

const WORDS = {
  backinstock: { ask: 'Notify me', label: 'Notify me:', waiting: 'We will tell you', class: 'button wide' },
  pricedrop: {
    ask: 'Watch the price',
    label: 'Watch the price of',
    waiting: 'Watching the price',
    class: 'button plain wide',
  },
};

/** Subscribes a customer at once and a guest in a dialog, and links a subscribed visitor to the alerts. */
export function WaitButton({ product, topic }: { product: Product; topic: AlertTopic }): JSX.Element {
  const { dt, epi } = product;
  const { ask, label, waiting, class: name } = WORDS[topic];
  if (waitsFor(epi, topic))
    return (
      <a class="button waiting wide" href="#/alerts" aria-label={`${waiting}: ${dt}. My alerts`}>
        <Icon name="check" /> {waiting}
      </a>
    );
  const { email } = shop;
  const subscribeOwn = (address: string): Promise<boolean> =>
    attempt(() => subscribe(product, topic, address), {
      done: `We will write to ${address}`,
      otherwise: `You do not wait for ${dt} yet`,
    });
  return (
    <Button
      class={name}
      label={`${label} ${dt}`}
      onClick={() =>
        email === null ? open(() => <Notify product={product} topic={topic} />) : subscribeOwn(email)
      }
    >
      {ask}
    </Button>
  );
}

export function BuyButton({ product }: { product: Product }): JSX.Element {
  const { dt, stk } = product;
  if (stk <= 0) return <WaitButton product={product} topic="backinstock" />;
  return (
    <>
      <Button
        class="button primary wide"
        label={`Add to cart: ${dt}`}
        onClick={() => setQuantity(product, (before) => before + 1, `${dt} is in your cart`)}
      >
        Add to cart
      </Button>
      <WaitButton product={product} topic="pricedrop" />
    </>
  );
}
