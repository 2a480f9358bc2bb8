import PostalMime from 'postal-mime';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changeProduct } from './actions.ts';
import { backend } from './api.ts';
import type { OutboxMail, Product } from './api.ts';
import { Button, Empty, Row, Title, money } from './parts.tsx';
import { useTitle } from './route.ts';
import { shop } from './state.ts';
import { refreshAlerts } from './wishes.ts';

type Email = { id: string; sentAt: number; to: string; subject: string; text: string };

const POLL_MS = 1500;
const LINK = /(https?:\/\/[^\s<>"]+)/;

async function read({ id, sentAt, eml }: OutboxMail): Promise<Email> {
  const { to, subject, text } = await PostalMime.parse(eml);
  return { id, sentAt, to: to?.[0]?.address ?? '', subject: subject ?? '', text: text ?? '' };
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

function Linked({ text }: { text: string }): JSX.Element {
  return (
    <p class="letter">
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <a key={index} href={part}>
            {part.length > 60 ? `${part.slice(0, 57)}…` : part}
          </a>
        ) : (
          part
        ),
      )}
    </p>
  );
}

function StockRow({ product }: { product: Product }): JSX.Element {
  const { epi, dt, iu, stk, pr, fullPrice } = product;
  const isReduced = pr < fullPrice;
  const isInStock = stk > 0;
  const setPrice = (): Promise<boolean> =>
    changeProduct(
      () => backend.setPrice(epi, !isReduced),
      `${dt} costs ${isReduced ? 'as much as before' : 'less'}`,
    );
  const setStock = (): Promise<boolean> =>
    changeProduct(
      () => backend.setStock(epi, !isInStock),
      `${dt} is ${isInStock ? 'sold out' : 'back in stock'}`,
    );
  const details = (
    <p class="hint">
      {isInStock ? `${stk} in stock` : 'sold out'} · {money(pr)}
    </p>
  );
  const stockAction = isInStock ? 'Sell out' : 'Restock';
  return (
    <Row class="line small" iu={iu} title={dt} details={details}>
      <Button
        class="button plain"
        label={`${isReduced ? 'Old price' : 'Reduce the price'} of ${dt}`}
        onClick={setPrice}
      >
        {isReduced ? 'Old price' : 'Reduce'}
      </Button>
      <Button
        class={isInStock ? 'button plain' : 'button primary'}
        label={`${stockAction} ${dt}`}
        onClick={setStock}
      >
        {stockAction}
      </Button>
    </Row>
  );
}

export function Counter(): JSX.Element {
  const emails = useOutbox();
  useTitle('Behind the counter');
  const sent = emails?.length ?? 0;
  useEffect(() => {
    if (sent > 0) void refreshAlerts().catch(() => undefined);
  }, [sent]);
  return (
    <>
      <Title>Behind the counter</Title>
      <p class="lead">
        Restock or reduce a product that somebody waits for, and the mail appears in the outbox. The demo
        never sends anything for real.
      </p>
      <div class="columns">
        <section aria-labelledby="stock">
          <h2 id="stock">Stock and prices</h2>
          <ul class="lines">
            {shop.products?.map((product) => (
              <StockRow key={product.epi} product={product} />
            ))}
          </ul>
        </section>
        <section aria-labelledby="outbox">
          <h2 id="outbox">Outbox</h2>
          {emails?.length === 0 && (
            <Empty title="No mail yet" level={3}>
              <p>Ask to be notified of a sold-out product, then restock it.</p>
            </Empty>
          )}
          <ul class="letters">
            {emails?.map(({ id, to, subject, text, sentAt }) => (
              <li key={id}>
                <details>
                  <summary>
                    <strong>{subject}</strong>
                    <span class="hint">
                      to {to} · {new Date(sentAt).toLocaleTimeString()}
                    </span>
                  </summary>
                  <Linked text={text} />
                </details>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}
