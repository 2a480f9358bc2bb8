import type { JSX } from 'preact';
import type { Product } from './api.ts';
import { BuyButton, Hearts, Picture, money } from './parts.tsx';
import { useShop } from './state.ts';

function Card({ product, isChosen }: { product: Product; isChosen: boolean }): JSX.Element {
  const isSoldOut = product.stk <= 0;
  return (
    <li class={isChosen ? 'card chosen' : 'card'}>
      <div class="frame">
        <Picture iu={product.iu} dt={product.dt} />
        {isSoldOut && <span class="badge">Sold out</span>}
        <Hearts product={product} />
      </div>
      <div class="facts">
        <h3>{product.dt}</h3>
        <p class="price">{money(product.pr)}</p>
      </div>
      <BuyButton product={product} />
    </li>
  );
}

/** All products; the one that a link names comes first. */
export function Shelf({ slug }: { slug: string }): JSX.Element {
  const { products } = useShop();
  if (products === null)
    return (
      <ul class="grid" aria-busy="true">
        {Array.from({ length: 8 }, (_, index) => (
          <li key={index} class="card ghost" />
        ))}
      </ul>
    );
  const chosen = products.filter((product) => product.slug === slug);
  const others = products.filter((product) => product.slug !== slug);
  return (
    <>
      <section class="hero">
        <h1>Things for slow mornings</h1>
        <p>
          Tap a heart to save. Lists, save for later, restock mails and sharing all work: this shop runs on
          wishgate.
        </p>
      </section>
      <ul class="grid">
        {[...chosen, ...others].map((product) => (
          <Card key={product.epi} product={product} isChosen={product.slug === slug} />
        ))}
      </ul>
    </>
  );
}
