import { useEffect, useState } from 'preact/hooks';
import type { Product } from './api.ts';
import { BuyButton, Framed, Hearts, Price, VariantPicker } from './buying.tsx';
import { client } from './client.ts';
import { Empty, Title } from './parts.tsx';
import { linkTo, nameOf, shop, variantsOf } from './state.ts';

function Card({ product }: { product: Product }) {
  return (
    <li class="card">
      <Framed product={product} />
      <h2 class="row-title">
        <a class="whole" href={linkTo(product)}>
          {product.dt}
        </a>
      </h2>
      <div class="flex facts">
        <Price product={product} />
        <Hearts product={product} />
      </div>
      <VariantPicker product={product} />
      <BuyButton product={product} />
    </li>
  );
}

const GHOSTS = Array.from({ length: 12 }, (_, index) => <li key={index} class="card ghost" />);

export function Shelf() {
  const { products, chosen } = shop;
  const shown = products?.filter(({ empi }, at) => products.findIndex((other) => other.empi === empi) === at);
  const cards = shown?.map((first) => {
    const product = variantsOf(first).find(({ epi }) => epi === chosen[first.empi]) ?? first;
    return <Card key={product.empi} product={product} />;
  });
  return (
    <>
      <Title text="Things for slow mornings" />
      <p class="lead">
        Tap a heart to save something you like. Lists, save for later, alerts and sharing all work: this shop
        runs on wishgate.
      </p>
      <ul class="grid" aria-busy={products === null}>
        {cards ?? GHOSTS}
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
  const text = count === 1 ? "In 1 person's lists" : `In ${count} people's lists`;
  return <span class="hint">{count > 0 && text}</span>;
}

export function ProductPage({ slug }: { slug: string }) {
  const variants = shop.products?.filter((known) => known.slug === slug);
  const product = variants?.find(({ epi }) => String(epi) === shop.route[2]) ?? variants?.[0];
  if (!product)
    return <Empty title="Not found" text="This product doesn't exist, or we no longer sell it." />;
  const { dt, bt, about, stk, sku } = product;
  const stock = stk > 0 ? (stk < 10 ? `Only ${stk} left` : 'In stock') : 'Sold out';
  return (
    <article class="product">
      <Framed product={product} dt={nameOf(product)} />
      <div>
        <p class="hint">{bt}</p>
        <Title text={dt} />
        <Price product={product} />
        <p>{about}</p>
        <VariantPicker product={product} />
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
