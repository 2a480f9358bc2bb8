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
      <div class="flex facts">
        <Price product={product} />
        <Hearts product={product} />
      </div>
      <BuyButton product={product} />
    </li>
  );
}

const GHOSTS = Array.from({ length: 8 }, (_, index) => <li key={index} class="card ghost" />);

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
        {products?.map((product) => <Card key={product.epi} product={product} />) ?? GHOSTS}
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
  const text = count === 1 ? 'In 1 person’s lists' : `In ${count} people’s lists`;
  return <span class="hint">{count > 0 && text}</span>;
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
  const stock = stk > 0 ? (stk < 10 ? `Only ${stk} left` : 'In stock') : 'Sold out at the moment';
  return (
    <article class="product">
      <Framed product={product} dt={dt} />
      <div>
        <p class="hint">{bt}</p>
        <Title text={dt} />
        <Price product={product} />
        <p>{about}</p>
        <p class="hint">{`${stock} · ${sku}`}</p>
        <div class="flex facts">
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
