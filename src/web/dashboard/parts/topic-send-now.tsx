import { useState } from 'preact/hooks';
import {
  SendAudienceDocument,
  SendProgressDocument,
  TriggerTopicDocument,
} from '../../../generated/dashboard.ts';
import type { ChannelFieldsFragment, SendAudienceQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatNumber, plural } from '../format.ts';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery, useSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Loaded } from './feedback.tsx';
import { Card } from './layout.tsx';
import { ProductPicker, titleOf } from './product-picker.tsx';
import type { FoundProduct } from './product-picker.tsx';

const REFRESH_MS = 2_000;
const MAX_PRODUCTS = 100;

type Reach = NonNullable<Answered<SendAudienceQuery>['audience']['reach']>;
type Channels = { channels: ChannelFieldsFragment[] };

/** A channel's name inside a sentence: e-mail, but SMS. */
export const inSentence = (label: string): string =>
  /^[A-Z][a-z-]/.test(label) ? label.toLowerCase() : label;

/** The ways in which people are written to: "10 by e-mail, 2 by SMS". */
function waysText({ media }: Reach, channels: ChannelFieldsFragment[]): string {
  const ways = channels.flatMap(({ medium, label }) => {
    const own = media.find((entry) => entry.medium === medium)?.count ?? 0;
    return own > 0 ? [`${formatNumber(own)} by ${inSentence(label)}`] : [];
  });
  return ways.join(', ');
}

/** How far a send has come, until nothing of it waits. */
function Progress({ topic, epis }: { topic: string; epis: (string | number)[] }) {
  const progress = useQuery(SendProgressDocument, { topic, epis });
  usePolling(progress, REFRESH_MS);
  return (
    <Loaded query={progress} lines={1}>
      {({ sendProgress: { isQueueing, queued, sent, failed, withheld } }) => {
        const total = queued + sent + failed + withheld;
        const isDone = !isQueueing && queued === 0;
        const others = [
          ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
          ...(withheld > 0 ? [`${formatNumber(withheld)} withheld`] : []),
        ];
        return (
          <div class="send-progress" role="status">
            <progress
              aria-label="Alerts that have left"
              value={total === 0 && !isDone ? undefined : total - queued}
              max={Math.max(total, 1)}
            />
            <p class="muted">
              {isDone ? 'Done: ' : 'Under way: '}
              {formatNumber(sent)} of {plural(total, 'alert')} sent
              {others.map((text) => `, ${text}`)}. <a href={hrefTo('alerts')}>See the alerts</a>
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

function Picked({
  products,
  onRemove,
}: {
  products: FoundProduct[];
  onRemove: (product: FoundProduct) => void;
}) {
  if (products.length === 0) return null;
  return (
    <ul class="chips" aria-label="Products to tell of">
      {products.map((product) => (
        <li key={product.epi}>
          <span>{titleOf(product)}</span>
          <button
            type="button"
            class="icon plain-button"
            aria-label={`Remove ${titleOf(product)}`}
            onClick={() => onRemove(product)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** How many would be written to, before anybody is. */
function Count({ topic, products, channels }: { topic: string; products: FoundProduct[] } & Channels) {
  const audience = useQuery(SendAudienceDocument, { topic, epis: products.map(({ epi }) => epi) });
  return (
    <Loaded query={audience} lines={1}>
      {({ audience: { reach } }) => (
        <p role="status">
          {!reach || reach.people === 0 ? (
            'Nobody waits for these products.'
          ) : (
            <>
              Sends{' '}
              <strong>
                {plural(reach.messages, 'message')} to {plural(reach.people, 'person', 'people')}
              </strong>{' '}
              ({waysText(reach, channels)}).
            </>
          )}
        </p>
      )}
    </Loaded>
  );
}

/** Sends a topic by hand: products by name, how many people, a question, and then how far it has come. */
export function SendNow({ topic, channels, isChanged }: { topic: string; isChanged: boolean } & Channels) {
  const { run, notify } = useSession();
  const [products, setProducts] = useState<FoundProduct[]>([]);
  const [isAsking, setAsking] = useState(false);
  const [sent, setSent] = useState<{ epis: (string | number)[]; turn: number } | null>(null);
  const epis = products.map(({ epi }) => epi);
  const pick = (product: FoundProduct): void => {
    setSent(null);
    setProducts((now) =>
      now.some(({ epi }) => epi === product.epi) || now.length >= MAX_PRODUCTS ? now : [...now, product],
    );
  };
  const send = async (): Promise<void> => {
    const { triggerTopic } = await run(TriggerTopicDocument, { topic, epis });
    setAsking(false);
    setProducts([]);
    if (triggerTopic.opened === 0) return notify('Nobody waits for these products.');
    notify(`${topic} is on its way.`);
    setSent((before) => ({ epis, turn: (before?.turn ?? 0) + 1 }));
  };
  return (
    <Card
      title="Send now"
      note={`To everybody who waits for these products on this topic, whatever the stock.${isChanged ? ' Sends what is saved, without your changes.' : ''}`}
    >
      <ProductPicker label="Add a product" onPick={pick} />
      <Picked
        products={products}
        onRemove={({ epi }) => setProducts((now) => now.filter((one) => one.epi !== epi))}
      />
      {products.length > 0 && <Count topic={topic} products={products} channels={channels} />}
      <div class="buttons">
        <button
          type="button"
          class="secondary"
          disabled={products.length === 0}
          onClick={() => setAsking(true)}
        >
          Send now…
        </button>
      </div>
      {sent && <Progress key={sent.turn} topic={topic} epis={sent.epis} />}
      {isAsking && (
        <Confirm title={`Send ${topic} now?`} action="Send" onClose={() => setAsking(false)} onConfirm={send}>
          <Count topic={topic} products={products} channels={channels} />
          <p>
            About {products.slice(0, 5).map(titleOf).join('; ')}
            {products.length > 5 && ` and ${plural(products.length - 5, 'other')}`}. Messages that are out
            cannot be called back.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
