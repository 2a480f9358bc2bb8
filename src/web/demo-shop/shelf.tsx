import type { Product } from './api.ts';
import { BuyButton, Framed, Hearts, Price, VariantPicker } from './buying.tsx';
import { client } from './client.ts';
import { useLoaded } from './loaded.ts';
import { Empty, Title } from './parts.tsx';
import { linkTo, nameOf, shop, variantsOf } from './state.ts';

function Card({ product, isSuggestion }: { product: Product; isSuggestion: boolean }) {
  const Heading = isSuggestion ? 'h3' : 'h2';
  return (
    <li class="card">
      <Framed product={product} />
      <Heading class="row-title">
        <a class="whole" href={linkTo(product)}>
          {product.dt}
        </a>
      </Heading>
      <div class="flex facts">
        <Price product={product} />
        <Hearts product={product} />
      </div>
      {!isSuggestion && <VariantPicker product={product} />}
      {!isSuggestion && <BuyButton product={product} />}
    </li>
  );
}

/** A card for each product, with the variant that the visitor chose. */
function cards(isSuggestion = false) {
  const { products, chosen } = shop;
  const shown = products?.filter(({ empi }, at) => products.findIndex((other) => other.empi === empi) === at);
  return shown?.map((first) => {
    const product = variantsOf(first).find(({ epi }) => epi === chosen[first.empi]) ?? first;
    return <Card key={product.empi} product={product} isSuggestion={isSuggestion} />;
  });
}

const GHOSTS = Array.from({ length: 12 }, (_, index) => <li key={index} class="card ghost" />);

export function Shelf() {
  return (
    <>
      <Title text="Things for slow mornings" />
      <p class="lead">
        Tap a heart to save something you like. Lists, save for later, alerts and sharing all work: this shop
        runs on wishgate.
      </p>
      <ul class="grid" aria-busy={shop.products === null}>
        {cards() ?? GHOSTS}
      </ul>
    </>
  );
}

function Liked({ product: { empi } }: { product: Product }) {
  const count = useLoaded(() => client.getSocialCount({ empi }), [empi, shop.lists])?.data.count ?? 0;
  const text = count === 1 ? "In 1 person's lists" : `In ${count} people's lists`;
  return <span class="hint">{count > 0 && text}</span>;
}

export function ProductPage({ slug }: { slug: string }) {
  const variants = shop.products?.filter((known) => known.slug === slug);
  const product = variants?.find(({ epi }) => String(epi) === shop.route[2]) ?? variants?.[0];
  if (!product) return <Empty title="Not found" text="We don't sell this product, or not any more." />;
  const { dt, about, details, stk, sku, empi } = product;
  const stock = stk > 0 ? (stk < 10 ? `Only ${stk} left` : 'In stock') : 'Sold out';
  const delivery = stk > 0 ? '2 to 3 days' : "2 to 3 days once it's back in stock";
  const facts = [...details, ['Delivery', delivery], ['Article', sku]];
  const others = cards(true)!;
  const next = others.findIndex(({ key }) => key === empi) + 1;
  return (
    <>
      <a class="back" href="#/">
        All products
      </a>
      <article class="product">
        <Framed product={product} dt={nameOf(product)} />
        <div>
          <Title text={dt} />
          <Price product={product} />
          <p>{about}</p>
          <VariantPicker product={product} />
          <p class="hint">{stock}</p>
          <div class="flex facts">
            <Hearts product={product} pickText="Choose lists" />
            <Liked product={product} />
          </div>
          <BuyButton product={product} />
          <dl>{facts.map(([name, value]) => [<dt class="hint">{name}</dt>, <dd>{value}</dd>])}</dl>
        </div>
      </article>
      <section class="more" aria-labelledby="more">
        <h2 id="more">You may also like</h2>
        <ul class="grid">{[...others, ...others].slice(next, next + 4)}</ul>
      </section>
    </>
  );
}
