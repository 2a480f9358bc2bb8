import { attempt, setQuantity, subscribe, waitsFor } from './actions.ts';
import { TOPICS } from './alerts.tsx';
import type { AlertTopic, Product } from './api.ts';
import { Notify } from './dialogs.tsx';
import { lidsOf, toggleHeart } from './list-actions.ts';
import { PickLists } from './list-dialogs.tsx';
import { Button, Icon, Picture, money } from './parts.tsx';
import { open } from './route.ts';
import { shop } from './state.ts';

export function Price({ product: { pr, fullPrice } }: { product: Product }) {
  const before = (
    <s>
      <span class="visually-hidden">instead of </span>
      {money(fullPrice)}
    </s>
  );
  return (
    <p class="price">
      {money(pr)} {pr < fullPrice && before}
    </p>
  );
}

export function Framed({ product, dt }: { product: Product; dt?: string }) {
  return (
    <div class="frame">
      <Picture iu={product.iu} dt={dt} />
      {product.stk <= 0 && <span class="badge">Sold out</span>}
    </div>
  );
}

export function Hearts({ product }: { product: Product }) {
  const { epi, dt } = product;
  const isSaved = lidsOf(epi).length > 0;
  const label = isSaved ? `Remove ${dt} from your lists` : `Save ${dt}`;
  const pick = (): void => open(() => <PickLists product={product} />);
  return (
    <div class={shop.serverLists || isSaved ? 'flex hearts' : 'flex hearts unknown'}>
      <Button class="round" aria-pressed={isSaved} label={label} onClick={() => toggleHeart(product)}>
        <Icon name="heart" isFull={isSaved} />
      </Button>
      <Button class="round" label={`Choose lists for ${dt}`} onClick={pick}>
        <Icon name="plus" />
      </Button>
    </div>
  );
}

/** Subscribes a customer at once and a guest in a dialog, and links a subscribed visitor to the alerts. */
export function WaitButton({ product, topic }: { product: Product; topic: AlertTopic }) {
  const { dt, epi } = product;
  const { ask, label, waiting } = TOPICS[topic];
  if (waitsFor(epi, topic))
    return (
      <a class="button waiting wide" href="#/alerts" aria-label={`${waiting}: ${dt}. My alerts`}>
        <Icon name="check" /> {waiting}
      </a>
    );
  const { email } = shop;
  const wait = (): unknown =>
    email === null
      ? open(() => <Notify product={product} topic={topic} />)
      : attempt(() => subscribe(product, topic, email), {
          done: `We will write to ${email}`,
          otherwise: `You do not wait for ${dt} yet`,
        });
  return (
    <Button class={topic === 'pricedrop' ? 'plain wide' : 'wide'} label={`${label} ${dt}`} onClick={wait}>
      {ask}
    </Button>
  );
}

export function BuyButton({ product }: { product: Product }) {
  const { dt, stk } = product;
  if (stk <= 0) return <WaitButton product={product} topic="backinstock" />;
  const add = (): void => setQuantity(product, (before) => before + 1, `${dt} is in your cart`);
  return (
    <>
      <Button class="primary wide" label={`Add to cart: ${dt}`} onClick={add}>
        Add to cart
      </Button>
      <WaitButton product={product} topic="pricedrop" />
    </>
  );
}
