import type { Product } from './api.ts';
import { Button, Empty, Picture, Title, money } from './parts.tsx';
import { choose, linkTo, nameOf, setQuantity, shop, variantsOf } from './state.ts';

const productOf = (product: Product) => {
  const { epi, empi, du } = product;
  return { epi, empi, du, title: nameOf(product) };
};

const Price = ({ product: { pr, fullPrice } }: { product: Product }) => (
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

const SoldOut = ({ product }: { product: Product }) =>
  product.stk > 0 ? null : <span class="badge">Sold out</span>;

/** Chooses the variant that the price, the heart and the button around it are for. */
function VariantPicker({ product }: { product: Product }) {
  const { empi, epi, dt, option, vi } = product;
  const variants = variantsOf(product);
  if (variants.length < 2) return null;
  return (
    <fieldset class="flex variants">
      <legend class="hint">
        {option}
        <span class="visually-hidden"> of {dt}</span>: <strong>{vi}</strong>
      </legend>
      {variants.map((variant) => (
        <label key={variant.epi} class={`button variant ${variant.stk > 0 ? '' : 'sold-out'}`}>
          <input
            type="radio"
            class="visually-hidden"
            name={`variant-${empi}`}
            aria-label={variant.stk > 0 ? variant.vi : `${variant.vi}, sold out`}
            checked={variant.epi === epi}
            onChange={() => choose(variant)}
          />
          {variant.vi}
        </label>
      ))}
    </fieldset>
  );
}

const Notify = ({ product, topic }: { product: Product; topic: 'backinstock' | 'pricedrop' }) => {
  const isWaiting = shop.alerts?.some((alert) => Number(alert.epi) === product.epi && alert.topic === topic);
  if (!isWaiting)
    return <wishgate-notify key={product.epi} class={topic} topic={topic} {...productOf(product)} />;
  return (
    <a class="button waiting" href="#/alerts" aria-label={`We'll email you: ${nameOf(product)}`}>
      We'll email you
    </a>
  );
};

function BuyButton({ product }: { product: Product }) {
  if (product.stk <= 0) return <Notify product={product} topic="backinstock" />;
  const add = (): void =>
    setQuantity(product, (before) => before + 1, `${nameOf(product)} added to your cart`);
  return (
    <Button class="primary" label={`Add to cart: ${nameOf(product)}`} onClick={add}>
      Add to cart
    </Button>
  );
}

const Card = ({ product }: { product: Product }) => (
  <li class="card">
    <h2>
      <a href={linkTo(product)}>
        <Picture iu={product.iu} />
        {product.dt}
      </a>
    </h2>
    <SoldOut product={product} />
    <div class="flex facts">
      <Price product={product} />
      <wishgate-heart {...productOf(product)} />
    </div>
    <VariantPicker product={product} />
    <BuyButton product={product} />
  </li>
);

/** A card for each product, with the variant that the visitor chose. */
export function Shelf() {
  const { products, chosen } = shop;
  const firsts = products?.filter(
    ({ empi }, at) => products.findIndex((other) => other.empi === empi) === at,
  );
  return (
    <>
      <Title text="Things for slow mornings" />
      <p class="lead">
        Tap a heart to save something you like. Lists, save for later, alerts and sharing all work: this shop
        is made of the elements that your storefront gets.
      </p>
      <ul class="grid" aria-busy={products === null}>
        {firsts?.map((first) => (
          <Card
            key={first.empi}
            product={variantsOf(first).find(({ epi }) => epi === chosen[first.empi]) ?? first}
          />
        ))}
      </ul>
    </>
  );
}

export function ProductPage({ slug }: { slug: string }) {
  const variants = shop.products?.filter((known) => known.slug === slug);
  const product = variants?.find(({ epi }) => String(epi) === shop.route[2]) ?? variants?.[0];
  if (!product) return <Empty title="Not found" text="We don't sell this product, or not any more." />;
  const { dt, about, details, stk, sku } = product;
  const stock = stk > 0 ? (stk < 10 ? `Only ${stk} left` : 'In stock') : 'Sold out';
  return (
    <>
      <a class="back" href="#/">
        All products
      </a>
      <article class="columns">
        <div class="frame">
          <Picture iu={product.iu} dt={nameOf(product)} />
          <SoldOut product={product} />
        </div>
        <div>
          <Title text={dt} />
          <div class="flex facts">
            <Price product={product} />
            <wishgate-heart {...productOf(product)} />
          </div>
          <p>{about}</p>
          <VariantPicker product={product} />
          <p class="hint">{stock}</p>
          <BuyButton product={product} />
          {stk > 0 && (
            <>
              <h2>Waiting for a better price?</h2>
              <Notify product={product} topic="pricedrop" />
            </>
          )}
          <ul class="hint">
            {[...details, ['Article', sku]].map(([name, value]) => (
              <li key={name}>{`${name}: ${value}`}</li>
            ))}
          </ul>
        </div>
      </article>
    </>
  );
}
