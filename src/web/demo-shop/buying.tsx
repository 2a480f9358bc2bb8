import { attempt, setQuantity, subscribe, waitsFor } from './actions.ts';
import { TOPICS } from './alerts.tsx';
import type { AlertTopic, Product } from './api.ts';
import { Notify } from './dialogs.tsx';
import { lidsOf, toggleHeart } from './list-actions.ts';
import { PickLists } from './list-dialogs.tsx';
import { Button, Icon, Picture, money } from './parts.tsx';
import { choose, open } from './route.ts';
import { nameOf, shop, variantsOf } from './state.ts';

export function Price({ product: { pr, fullPrice } }: { product: Product }) {
  return (
    <p class="price">
      {money(pr)}{' '}
      {pr < fullPrice && (
        <s class="hint">
          <span class="visually-hidden">was </span>
          {money(fullPrice)}
        </s>
      )}
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

/** Chooses the variant that the price, the hearts and the buttons around it are for. */
export function VariantPicker({ product }: { product: Product }) {
  const { empi, epi, dt, option, vi } = product;
  const variants = variantsOf(product);
  if (variants.length < 2) return null;
  return (
    <fieldset class="flex variants">
      <legend class="hint">
        {option}
        <span class="visually-hidden"> of {dt}</span>: <strong>{vi}</strong>
      </legend>
      {variants.map((variant) => {
        const isSaved = lidsOf(variant.epi).length > 0;
        const states = [variant.stk <= 0 && 'sold out', isSaved && 'saved'];
        return (
          <label key={variant.epi} class={`button variant ${variant.stk > 0 ? '' : 'sold-out'}`}>
            <input
              type="radio"
              class="visually-hidden"
              name={`variant-${empi}`}
              aria-label={[variant.vi, ...states].filter(Boolean).join(', ')}
              checked={variant.epi === epi}
              onChange={() => choose(variant)}
            />
            {variant.vi}
            {isSaved && <Icon name="heart" isFull />}
          </label>
        );
      })}
    </fieldset>
  );
}

export function Hearts({ product, pickText }: { product: Product; pickText?: string }) {
  const isSaved = lidsOf(product.epi).length > 0;
  const name = nameOf(product);
  const label = isSaved ? `Remove ${name} from your lists` : `Save ${name}`;
  const pick = (): void => open(() => <PickLists product={product} />);
  return (
    <div class={shop.serverLists || isSaved ? 'flex hearts' : 'flex hearts unknown'}>
      <Button class="round" aria-pressed={isSaved} label={label} onClick={() => toggleHeart(product)}>
        <Icon name="heart" isFull={isSaved} />
      </Button>
      <Button class={pickText ? '' : 'round'} label={`Choose lists for ${name}`} onClick={pick}>
        <Icon name="plus" /> {pickText}
      </Button>
    </div>
  );
}

/** Subscribes a customer at once and a guest in a dialog, and links a subscribed visitor to the alerts. */
export function WaitButton({ product, topic }: { product: Product; topic: AlertTopic }) {
  const name = nameOf(product);
  const { ask, waiting, when } = TOPICS[topic];
  if (waitsFor(product.epi, topic))
    return (
      <a class="button waiting wide" href="#/alerts" aria-label={`${waiting}: ${name}. My alerts`}>
        <Icon name="check" /> {waiting}
      </a>
    );
  const { email } = shop;
  const rank = topic === 'pricedrop' ? 'plain' : 'primary';
  const wait = (): unknown =>
    email === null
      ? open(() => <Notify product={product} topic={topic} />)
      : attempt(() => subscribe(product, topic, email), {
          done: `We'll email ${email} ${when}`,
          otherwise: `Your alert for ${name} wasn't saved`,
        });
  return (
    <Button class={`${rank} wide`} label={`${ask}: ${name}`} onClick={wait}>
      {ask}
    </Button>
  );
}

export function BuyButton({ product }: { product: Product }) {
  if (product.stk <= 0) return <WaitButton product={product} topic="backinstock" />;
  const name = nameOf(product);
  const add = (): void => setQuantity(product, (before) => before + 1, `${name} added to your cart`);
  return (
    <>
      <Button class="primary wide" label={`Add to cart: ${name}`} onClick={add}>
        Add to cart
      </Button>
      <WaitButton product={product} topic="pricedrop" />
    </>
  );
}
