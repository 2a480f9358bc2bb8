import PostalMime from 'postal-mime';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { backend } from './api.ts';
import type { Mail, Product } from './api.ts';
import { Empty, Picture, Title, money } from './parts.tsx';
import { useTitle } from './route.ts';
import { useShop } from './state.ts';

type Letter = { id: string; sentAt: number; to: string; subject: string; text: string };

const POLL_MS = 1500;
const LINK = /(https?:\/\/[^\s<>"]+)/;

async function read({ id, sentAt, eml }: Mail): Promise<Letter> {
  const { to, subject, text } = await PostalMime.parse(eml);
  return { id, sentAt, to: to?.[0]?.address ?? '', subject: subject ?? '', text: text ?? '' };
}

/** The outbox, asked for again and again while the view is open: mails leave a moment after the restock. */
function useOutbox(): Letter[] | null {
  const [letters, setLetters] = useState<Letter[] | null>(null);
  useEffect(() => {
    const load = async (): Promise<void> => setLetters(await Promise.all((await backend.outbox()).map(read)));
    const tick = (): void => void load().catch(() => undefined);
    tick();
    const timer = setInterval(tick, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return letters;
}

/** Plain text with its links made clickable; links of this service open on the address that the page came from. */
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

/** Reduces a price, or takes the reduction back. */
function Price({ product, write }: { product: Product; write: Write }): JSX.Element {
  const { epi, dt, pr, fullPrice } = product;
  const isReduced = pr < fullPrice;
  const set = (): void =>
    write(() => backend.setPrice(epi, !isReduced), `${dt} costs ${isReduced ? 'as much as before' : 'less'}`);
  return (
    <button
      type="button"
      class="button plain"
      aria-label={`${isReduced ? 'Old price' : 'Reduce the price'} of ${dt}`}
      onClick={set}
    >
      {isReduced ? 'Old price' : 'Reduce'}
    </button>
  );
}

type Write = (change: () => Promise<unknown>, done: string) => void;

function Stock(): JSX.Element {
  const { products, attempt, refreshProducts } = useShop();
  const write: Write = (change, done) =>
    void attempt(
      async () => {
        await change();
        await refreshProducts();
      },
      { done, otherwise: 'Nothing was changed' },
    );
  const set = (epi: number, isInStock: boolean, done: string): void =>
    write(() => backend.setStock(epi, isInStock), done);
  return (
    <section aria-labelledby="stock">
      <h2 id="stock">Stock and prices</h2>
      <ul class="lines">
        {(products ?? []).map((product) => {
          const { epi, dt, iu, stk, pr } = product;
          return (
            <li key={epi} class="line small">
              <Picture iu={iu} />
              <div class="grow">
                <h3>{dt}</h3>
                <p class="hint">
                  {stk > 0 ? `${stk} in stock` : 'sold out'} · {money(pr)}
                </p>
              </div>
              <Price product={product} write={write} />
              {stk > 0 ? (
                <button
                  type="button"
                  class="button plain"
                  aria-label={`Sell out ${dt}`}
                  onClick={() => set(epi, false, `${dt} is sold out`)}
                >
                  Sell out
                </button>
              ) : (
                <button
                  type="button"
                  class="button primary"
                  aria-label={`Restock ${dt}`}
                  onClick={() => set(epi, true, `${dt} is back in stock`)}
                >
                  Restock
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What a merchant would see: stock, prices, and the mails that left. */
export function Counter(): JSX.Element {
  const { refreshAlerts } = useShop();
  const letters = useOutbox();
  useTitle('Behind the counter');
  const sent = letters?.length ?? 0;
  useEffect(() => {
    // Whoever was told waits no longer.
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
        <Stock />
        <section aria-labelledby="outbox">
          <h2 id="outbox">Outbox</h2>
          {letters?.length === 0 && (
            <Empty title="No mail yet" level={3}>
              <p>Ask to be notified of a sold-out product, then restock it.</p>
            </Empty>
          )}
          <ul class="letters">
            {(letters ?? []).map(({ id, to, subject, text, sentAt }) => (
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
