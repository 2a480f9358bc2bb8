import { useEffect, useRef } from 'preact/hooks';
import { changeProduct } from './actions.ts';
import { backend } from './api.ts';
import type { Product } from './api.ts';
import { Outbox, useOutbox } from './outbox.tsx';
import { Button, Row, Title, money } from './parts.tsx';
import { dismiss, nameOf, shop, show } from './state.ts';
import { refreshAlerts } from './wishes.ts';

function StockRow({ product }: { product: Product }) {
  const { epi, iu, stk, pr, fullPrice } = product;
  const name = nameOf(product);
  const isReduced = pr < fullPrice;
  const isInStock = stk > 0;
  const [stockAction, stockDone] = isInStock ? ['Sell out', 'sold out'] : ['Restock', 'back in stock'];
  const [priceAction, priceDone] = isReduced ? ['Restore price', 'restored'] : ['Drop price', 'dropped'];
  const setPrice = () =>
    changeProduct(() => backend.setPrice(epi, !isReduced), `${name}: price ${priceDone}`);
  const setStock = () => changeProduct(() => backend.setStock(epi, !isInStock), `${name} is ${stockDone}`);
  const price = isReduced ? `${money(pr)} (was ${money(fullPrice)})` : money(pr);
  const details = <p class="hint">{`${isInStock ? `${stk} in stock` : 'Sold out'} · ${price}`}</p>;
  return (
    <Row class="small" iu={iu} title={name} details={details}>
      <div class="flex actions">
        <Button class="plain" label={`${priceAction}: ${name}`} onClick={setPrice}>
          {priceAction}
        </Button>
        <Button class={isInStock ? 'plain' : 'primary'} label={`${stockAction}: ${name}`} onClick={setStock}>
          {stockAction}
        </Button>
      </div>
    </Row>
  );
}

const outbox = (): Element => document.querySelector('#outbox')!;
const showOutbox = async (): Promise<void> => outbox().scrollIntoView();

export function TestPanel() {
  const messages = useOutbox();
  const newest = messages?.[0];
  const hasLoaded = useRef(false);
  useEffect(() => {
    const isNew = newest && hasLoaded.current;
    hasLoaded.current = messages !== null;
    if (newest) void refreshAlerts().catch(() => undefined);
    // On a phone the outbox is below the products; elsewhere the visitor sees the message arrive.
    if (!isNew || outbox().getBoundingClientRect().top < innerHeight) return;
    const id = show(`New message to ${newest.to}`, false, { name: 'Show', run: showOutbox });
    return () => dismiss(id);
  }, [messages === null, newest?.id]);
  const rows = shop.products?.map((product) => <StockRow key={product.epi} product={product} />);
  return (
    <>
      <Title text="Test panel" />
      <p class="lead">
        Change stock and prices and see what shoppers receive. Restock a product that someone is waiting for,
        and the email appears in the outbox. The demo doesn't send it to anyone.{' '}
        <a href="#/test-panel" onClick={() => void showOutbox()} children="Go to the outbox" />
      </p>
      <div class="columns">
        <section aria-labelledby="stock">
          <h2 id="stock">Stock and prices</h2>
          <ul class="lines">{rows}</ul>
        </section>
        <Outbox messages={messages} />
      </div>
    </>
  );
}
