import { backend } from './api.ts';
import type { Product } from './api.ts';
import { Outbox } from './outbox.tsx';
import { Button, Row, Title, money } from './parts.tsx';
import { attempt, nameOf, refreshProducts, shop } from './state.ts';

function StockRow({ product }: { product: Product }) {
  const { epi, iu, stk, pr, fullPrice } = product;
  const name = nameOf(product);
  const isReduced = pr < fullPrice;
  const isInStock = stk > 0;
  const [stockAction, stockDone] = isInStock ? ['Sell out', 'sold out'] : ['Restock', 'back in stock'];
  const [priceAction, priceDone] = isReduced ? ['Restore price', 'restored'] : ['Drop price', 'dropped'];
  const setPrice = () =>
    attempt(() => backend.setPrice(epi, !isReduced).then(refreshProducts), `${name}: price ${priceDone}`);
  const setStock = () =>
    attempt(() => backend.setStock(epi, !isInStock).then(refreshProducts), `${name} is ${stockDone}`);
  const price = isReduced ? `${money(pr)} (was ${money(fullPrice)})` : money(pr);
  const details = <p class="hint">{`${isInStock ? `${stk} in stock` : 'Sold out'} · ${price}`}</p>;
  return (
    <Row iu={iu} title={name} details={details}>
      <Button class="plain" label={`${priceAction}: ${name}`} onClick={setPrice}>
        {priceAction}
      </Button>
      <Button class={isInStock ? 'plain' : 'primary'} label={`${stockAction}: ${name}`} onClick={setStock}>
        {stockAction}
      </Button>
    </Row>
  );
}

export const TestPanel = () => (
  <>
    <Title text="Test panel" />
    <p class="lead">
      Change stock and prices and see what shoppers receive. Restock a product that someone is waiting for,
      and the email appears in the outbox. The demo doesn't send it to anyone.
    </p>
    <div class="columns">
      <Outbox />
      <section aria-label="Stock and prices">
        <ul class="lines small">
          {shop.products?.map((product) => (
            <StockRow key={product.epi} product={product} />
          ))}
        </ul>
      </section>
    </div>
  </>
);
