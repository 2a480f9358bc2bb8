import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { BuyButton, Empty, Hearts, Picture, Price, Title } from './parts.tsx';
import { useTitle } from './route.ts';
import { useShop } from './state.ts';

function Card({ product }: { product: Product }): JSX.Element {
  const { slug, iu, dt, stk } = product;
  return (
    <li class="card">
      <div class="frame">
        <Picture iu={iu} />
        {stk <= 0 && <span class="badge">Sold out</span>}
      </div>
      <h2 class="row-title">
        <a class="whole" href={`#/p/${slug}`}>
          {dt}
        </a>
      </h2>
      <div class="facts">
        <Price product={product} />
        <Hearts product={product} />
      </div>
      <BuyButton product={product} />
    </li>
  );
}

/** All products. */
export function Shelf(): JSX.Element {
  const { products } = useShop();
  useTitle('Things for slow mornings');
  return (
    <>
      <section class="hero">
        <Title>Things for slow mornings</Title>
        <p>
          Tap a heart to save. Lists, save for later, restock mails and sharing all work: this shop runs on
          wishgate.
        </p>
      </section>
      <ul class="grid" aria-busy={products === null}>
        {products === null
          ? Array.from({ length: 8 }, (_, index) => <li key={index} class="card ghost" />)
          : products.map((product) => <Card key={product.epi} product={product} />)}
      </ul>
    </>
  );
}

/** How many have it in a list; nothing while nobody has told, and it takes no room of its own. */
function Liked({ product }: { product: Product }): JSX.Element {
  const { lists } = useShop();
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    client.getSocialCount({ empi: product.empi }).then(
      ({ data }) => isCurrent && setCount(data.count),
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, [product.empi, lists]);
  return (
    <span class="hint liked">
      {count > 0 && (count === 1 ? 'In 1 person’s lists' : `In ${count} people’s lists`)}
    </span>
  );
}

/** One product, at an address of its own: where links in mails and lists lead. */
export function ProductPage({ slug }: { slug: string }): JSX.Element {
  const { products } = useShop();
  const product = products?.find((known) => known.slug === slug);
  useTitle(product?.dt ?? 'Not here');
  if (!product)
    return (
      <Empty title="We do not have this">
        <a class="button primary" href="#/">
          To the shop
        </a>
      </Empty>
    );
  const { iu, dt, bt, about, stk, sku } = product;
  return (
    <article class="product">
      <div class="frame">
        <Picture iu={iu} dt={dt} />
        {stk <= 0 && <span class="badge">Sold out</span>}
      </div>
      <div>
        <p class="hint">{bt}</p>
        <Title>{dt}</Title>
        <Price product={product} />
        <p>{about}</p>
        <p class="hint">
          {stk > 0 ? (stk < 10 ? `Only ${stk} left` : 'In stock') : 'Sold out at the moment'} · {sku}
        </p>
        <div class="facts">
          <Hearts product={product} />
          <Liked product={product} />
        </div>
        <BuyButton product={product} />
        <a class="back" href="#/">
          All products
        </a>
      </div>
    </article>
  );
}
