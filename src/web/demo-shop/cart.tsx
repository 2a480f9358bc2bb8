import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { SaveForLaterElement } from '../../../packages/elements/src/types.ts';
import { backend } from './api.ts';
import type { Product } from './api.ts';
import { Button, Empty, Row, Title, money } from './parts.tsx';
import { attempt, findProduct, linkTo, nameOf, notedClick, setQuantity, shop } from './state.ts';

/** Limits the quantity to the stock, because the cart may come from another tab or an earlier day. */
const quantityOf = ({ epi, stk }: Product): number => Math.min(shop.cart[epi] ?? 0, Math.max(0, stk));

const drop = (product: Product): void => setQuantity(product, () => 0);

function CartRow({ product, onLater }: { product: Product; onLater: () => unknown }) {
  const { stk, pr, iu } = product;
  const name = nameOf(product);
  const set = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    if (currentTarget.value !== '') setQuantity(product, () => Number(currentTarget.value));
    currentTarget.value = String(quantityOf(product));
  };
  const details = (
    <>
      <p class="price">{money(pr)}</p>
      {stk < 10 && <p class="hint">{stk > 0 ? `Only ${stk} left` : 'Sold out'}</p>}
    </>
  );
  return (
    <Row iu={iu} title={name} href={linkTo(product)} details={details}>
      {stk > 0 && (
        <label class="quantity">
          <span class="visually-hidden">Quantity of {name}</span>
          <input type="number" min="0" max={stk} value={quantityOf(product)} onChange={set} />
        </label>
      )}
      <Button label={`Save for later: ${name}`} onClick={onLater}>
        Save for later
      </Button>
      <Button class="plain" label={`Remove ${name}`} onClick={() => drop(product)}>
        Remove
      </Button>
    </Row>
  );
}

async function placeOrder(lines: { epi: number; quantity: number }[]): Promise<void> {
  await backend.order(lines, notedClick());
  for (const { epi } of lines) drop(findProduct(epi)!);
}

export function CartView() {
  const later = useRef<SaveForLaterElement>(null);
  const products = Object.keys(shop.cart).flatMap((epi) => findProduct(epi) ?? []);
  // The product is removed from the cart after it is saved, so that a visitor who closes the page does not lose it.
  const saveForLater = async (product: Product): Promise<void> => {
    const { epi, empi, du } = product;
    const qty = Math.max(1, quantityOf(product));
    await customElements.whenDefined('wishgate-save-for-later');
    if (await later.current!.add({ epi, empi, du, qty })) drop(product);
  };
  const rows = products.map((product) => (
    <CartRow key={product.epi} product={product} onLater={() => saveForLater(product)} />
  ));
  const lines = products
    .map((product) => ({ epi: product.epi, pr: product.pr, quantity: quantityOf(product) }))
    .filter(({ quantity }) => quantity > 0);
  const cents = lines.reduce((sum, { pr, quantity }) => sum + Math.round(pr * 100) * quantity, 0);
  const thanks = "Thanks for your order! This is a demo, so we won't ship or charge anything.";
  return (
    <>
      {rows.length === 0 ? (
        <Empty title="Your cart is empty" text="What you add appears here." />
      ) : (
        <>
          <Title text="Your cart" />
          <ul class="lines">{rows}</ul>
          <p class="total">
            Total <strong>{money(cents / 100)}</strong>
          </p>
          <div class="flex place">
            <Button
              class="primary"
              isDisabled={lines.length === 0}
              onClick={() => attempt(() => placeOrder(lines), thanks)}
            >
              Place order
            </Button>
            <Button
              class="plain"
              onClick={() =>
                attempt(
                  async () => shop.client?.setMeasured(false),
                  'We no longer track your clicks and orders',
                )
              }
            >
              Don't track my clicks and orders
            </Button>
          </div>
        </>
      )}
      <section class="more" aria-labelledby="saved">
        <h2 id="saved">Saved for later</h2>
        <wishgate-save-for-later ref={later} />
      </section>
    </>
  );
}
