import PostalMime from 'postal-mime';
import { useEffect, useState } from 'preact/hooks';
import { changeProduct } from './actions.ts';
import { backend } from './api.ts';
import type { OutboxMail, Product } from './api.ts';
import { Button, Icon, Row, Title, money } from './parts.tsx';
import { shop } from './state.ts';
import { refreshAlerts } from './wishes.ts';

type Email = { id: string; sentAt: number; to: string; subject: string; text: string };

const POLL_MS = 1500;
const LINK = /(https?:\/\/[^\s<>"]+)/;

async function read({ id, sentAt, eml }: OutboxMail): Promise<Email> {
  const { to, subject = '', text = '' } = await PostalMime.parse(eml);
  return { id, sentAt, to: to?.[0]?.address ?? '', subject, text };
}

/** Polls while the view is open, because emails are sent shortly after the restock. */
function useOutbox(): Email[] | null {
  const [emails, setEmails] = useState<Email[] | null>(null);
  useEffect(() => {
    const load = async (): Promise<void> => setEmails(await Promise.all((await backend.outbox()).map(read)));
    const tick = (): void => void load().catch(() => undefined);
    tick();
    const timer = setInterval(tick, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return emails;
}

function Letter({ to, subject, text, sentAt }: Email) {
  const parts = text.split(LINK).map((part, index) => {
    const short = part.length > 60 ? `${part.slice(0, 57)}…` : part;
    return index % 2 === 1 ? <a href={part}>{short}</a> : part;
  });
  return (
    <li class="flex line">
      <details class="grow">
        <summary>
          <strong>{subject}</strong>
          <span class="hint">{`to ${to} · ${new Date(sentAt).toLocaleTimeString()}`}</span>
        </summary>
        <p class="letter">{parts}</p>
      </details>
    </li>
  );
}

function StockRow({ product }: { product: Product }) {
  const { epi, dt, iu, stk, pr, fullPrice } = product;
  const isReduced = pr < fullPrice;
  const isInStock = stk > 0;
  const stockAction = isInStock ? 'Sell out' : 'Restock';
  const priceLabel = `${isReduced ? 'Old price' : 'Reduce the price'} of ${dt}`;
  const priceDone = `${dt} costs ${isReduced ? 'as much as before' : 'less'}`;
  const stockDone = `${dt} is ${isInStock ? 'sold out' : 'back in stock'}`;
  const setPrice = () => changeProduct(() => backend.setPrice(epi, !isReduced), priceDone);
  const setStock = () => changeProduct(() => backend.setStock(epi, !isInStock), stockDone);
  const details = <p class="hint">{`${isInStock ? `${stk} in stock` : 'sold out'} · ${money(pr)}`}</p>;
  return (
    <Row class="small" iu={iu} title={dt} details={details}>
      <Button class="plain" label={priceLabel} onClick={setPrice}>
        {isReduced ? 'Old price' : 'Reduce'}
      </Button>
      <Button class={isInStock ? 'plain' : 'primary'} label={`${stockAction} ${dt}`} onClick={setStock}>
        {stockAction}
      </Button>
    </Row>
  );
}

export function Counter() {
  const emails = useOutbox();
  const sent = emails?.length ?? 0;
  useEffect(() => {
    if (sent > 0) void refreshAlerts().catch(() => undefined);
  }, [sent]);
  const rows = shop.products?.map((product) => <StockRow key={product.epi} product={product} />);
  return (
    <>
      <Title text="Behind the counter" />
      <p class="lead">
        Restock or reduce a product that somebody waits for, and the mail appears in the outbox. The demo
        never sends anything for real.
      </p>
      <div class="columns">
        <section aria-labelledby="stock">
          <h2 id="stock">Stock and prices</h2>
          <ul class="lines">{rows}</ul>
        </section>
        <section aria-labelledby="outbox">
          <h2 id="outbox">Outbox</h2>
          {emails?.length === 0 && (
            <div class="empty">
              <Icon name="heart" />
              <h3>No mail yet</h3>
              <p>Ask to be notified of a sold-out product, then restock it.</p>
            </div>
          )}
          <ul class="lines">
            {emails?.map((email) => (
              <Letter key={email.id} {...email} />
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}
