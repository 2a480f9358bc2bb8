import { useActions, useIsInList, useNotifyMe } from '@wishgate/react';
import { PRODUCTS } from '../products';
import type { Product } from '../products';

function Heart({ product }: { product: Product }) {
  const isSaved = useIsInList(product.epi);
  const { toggle } = useActions();
  const { isSoldOut: _isSoldOut, ...saved } = product;
  return (
    <button aria-pressed={isSaved} aria-label={`Save ${product.dt}`} onClick={() => void toggle(saved)}>
      {isSaved ? '♥' : '♡'}
    </button>
  );
}

function NotifyMe({ product: { epi, empi, du, dt } }: { product: Product }) {
  const { status, subscribe } = useNotifyMe();
  const send = (form: FormData) =>
    subscribe({ epi, empi, du }, { mediumvalue: String(form.get('email') ?? '') });
  if (status === 'subscribed') return <p role="status">We'll email you when it's back</p>;
  if (status === 'unconfirmed') return <p role="status">Please check your inbox and confirm</p>;
  return (
    <form action={send} aria-label={`Notify me about ${dt}`}>
      <label>
        Email <input name="email" type="email" required />
      </label>
      <button disabled={status === 'sending'}>Notify me</button>
      {status === 'failed' && <p role="alert">That didn't work. Please try again.</p>}
    </form>
  );
}

export default function Home() {
  return (
    <>
      <h1>Wood shop</h1>
      <ul>
        {PRODUCTS.map((product) => (
          <li key={product.epi}>
            <h2>{product.dt}</h2>
            <p>€{product.pr}</p>
            <Heart product={product} />
            {product.isSoldOut && <NotifyMe product={product} />}
          </li>
        ))}
      </ul>
    </>
  );
}
