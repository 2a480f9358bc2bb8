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
import { useDialog } from './dialog.tsx';
import { Loaded } from './feedback.tsx';
import { Confirm } from './form.tsx';
import { Button, Card } from './layout.tsx';
import { ProductPicker, titleOf } from './product-picker.tsx';
import type { FoundProduct } from './product-picker.tsx';

const REFRESH_MS = 2_000;
const MAX_PRODUCTS = 100;

type Reach = NonNullable<Answered<SendAudienceQuery>['audience']['reach']>;
type Channels = { channels: ChannelFieldsFragment[] };

/** Lower-cases a channel's name within a sentence: e-mail, but SMS. */
export const inSentence = (label: string): string =>
  /^[A-Z][a-z-]/.test(label) ? label.toLowerCase() : label;

/** For example "10 by e-mail, 2 by SMS". */
function waysText({ media }: Reach, channels: ChannelFieldsFragment[]): string {
  const ways = channels.flatMap(({ medium, label }) => {
    const own = media.find((entry) => entry.medium === medium)?.count ?? 0;
    return own > 0 ? [`${formatNumber(own)} by ${inSentence(label)}`] : [];
  });
  return ways.join(', ');
}

function Progress({ topic, epis }: { topic: string; epis: (string | number)[] }) {
  const progress = useQuery(SendProgressDocument, { topic, epis });
  usePolling(progress, REFRESH_MS);
  return (
    <Loaded query={progress} lines={1}>
      {({ sendProgress: { isQueueing, queued, sent, failed, withheld } }) => {
        const total = queued + sent + failed + withheld;
        const isDone = !isQueueing && queued === 0;
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
              {failed > 0 && `, ${formatNumber(failed)} failed`}
              {withheld > 0 && `, ${formatNumber(withheld)} withheld`}.{' '}
              <a href={hrefTo('alerts')}>See the alerts</a>
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

function Picked({ products, onRemove }: { products: FoundProduct[]; onRemove: (one: FoundProduct) => void }) {
  if (products.length === 0) return null;
  return (
    <ul class="plain-list chips" aria-label="Products to tell of">
      {products.map((product) => (
        <li key={product.epi}>
          <span>{titleOf(product)}</span>
          <Button
            look="icon plain-button"
            label={`Remove ${titleOf(product)}`}
            onClick={() => onRemove(product)}
          >
            ✕
          </Button>
        </li>
      ))}
    </ul>
  );
}

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

export function SendNow({ topic, channels, isChanged }: { topic: string; isChanged: boolean } & Channels) {
  const { run, notify } = useSession();
  const [products, setProducts] = useState<FoundProduct[]>([]);
  const { open } = useDialog();
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
    setProducts([]);
    if (triggerTopic.opened === 0) return notify('Nobody waits for these products.');
    notify(`${topic} is on its way.`);
    setSent((before) => ({ epis, turn: (before?.turn ?? 0) + 1 }));
  };
  const count = <Count topic={topic} products={products} channels={channels} />;
  const ask = (): void =>
    open(
      <Confirm title={`Send ${topic} now?`} label="Send" onSubmit={send}>
        {count}
        <p>
          About {products.slice(0, 5).map(titleOf).join('; ')}
          {products.length > 5 && ` and ${plural(products.length - 5, 'other')}`}. Messages that are out
          cannot be called back.
        </p>
      </Confirm>,
    );
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
      {products.length > 0 && count}
      <div class="buttons">
        <Button look="secondary" disabled={products.length === 0} onClick={ask}>
          Send now…
        </Button>
      </div>
      {sent && <Progress key={sent.turn} topic={topic} epis={sent.epis} />}
    </Card>
  );
}
