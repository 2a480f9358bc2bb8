import { useEffect, useState } from 'preact/hooks';
import type { Product } from './api.ts';
import { BuyButton, Framed, Hearts, Price } from './buying.tsx';
import { client } from './client.ts';
import { Empty, Title, ToShop } from './parts.tsx';
import { shop } from './state.ts';

function Card({ product }: { product: Product }) {
  return (
    <li class="card">
      <Framed product={product} />
      <h2 class="row-title">
        <a class="whole" href={`#/p/${product.slug}`}>
          {product.dt}
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

export function Shelf() {
  const { products } = shop;
  return (
    <>
      <Title text="Things for slow mornings" />
      <p class="lead">
        Tap a heart to save. Lists, save for later, restock mails and sharing all work: this shop runs on
        wishgate.
      </p>
      <ul class="grid" aria-busy={products === null}>
        {products === null
          ? Array.from({ length: 8 }, (_, index) => <li key={index} class="card ghost" />)
          : products.map((product) => <Card key={product.epi} product={product} />)}
      </ul>
    </>
  );
}

function Liked({ product: { empi } }: { product: Product }) {
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    client.getSocialCount({ empi }).then(
      ({ data }) => isCurrent && setCount(data.count),
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, [empi, shop.lists]);
  return (
    <span class="hint liked">
      {count > 0 && (count === 1 ? 'In 1 person’s lists' : `In ${count} people’s lists`)}
    </span>
  );
}

export function ProductPage({ slug }: { slug: string }) {
  const product = shop.products?.find((known) => known.slug === slug);
  if (!product)
    return (
      <Empty title="We do not have this" tab="Not here">
        <ToShop />
      </Empty>
    );
  const { dt, bt, about, stk, sku } = product;
  return (
    <article class="product">
      <Framed product={product} dt={dt} />
      <div>
        <p class="hint">{bt}</p>
        <Title text={dt} />
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
