import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatNumber, plural } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useAction, usePolling, useQuery, useSession, useText } from '../session.ts';
import { Choice, TextField } from './fields.tsx';
import { ActionForm, Confirm } from './form.tsx';
import { Button, Card, Loaded } from './layout.tsx';
import { ProductPicker, shortTitleOf } from './product.tsx';
import type { FoundProduct } from './product.tsx';

const REFRESH_MS = 2_000;
const MAX_PRODUCTS = 100;

type Channels = gql.ChannelFieldsFragment[];
type Props = { topic: string; channels: Channels; isChanged: boolean };
type Counts = { medium: string; count: number }[];
type Epis = (string | number)[];

/** For example "10 by e-mail, 2 by SMS"; a channel's name is lower case within a sentence, but not SMS. */
function waysText(counts: Counts, channels: Channels, least: number): string {
  const ways = channels.flatMap(({ medium, label }) => {
    const count = counts.find((entry) => entry.medium === medium)?.count ?? 0;
    const name = /^[A-Z][a-z-]/.test(label) ? label.toLowerCase() : label;
    return count >= least ? [`${formatNumber(count)} by ${name}`] : [];
  });
  return ways.join(', ');
}

function Audience({ topic, channels }: Props) {
  return (
    <Card title="Audience" note="Confirmed subscriptions that wait for this topic.">
      <Loaded query={useQuery(gql.AudienceDocument, { topic })} lines={1}>
        {({ audience: { count, media } }) => (
          <p>
            <strong class="chart-total">{formatNumber(count)}</strong>
            <br />
            <span class="muted">{waysText(media, channels, 0)}</span>
          </p>
        )}
      </Loaded>
    </Card>
  );
}

function TestSend({ topic, channels, isChanged }: Props) {
  const { run } = useSession();
  const [medium, setMedium] = useState(channels[0]!.medium);
  const channel = channels.find((one) => one.medium === medium)!;
  const contact = useText();
  const send = useAction(async () => {
    const to = contact.value.trim();
    await run(gql.SendTestAlertDocument, { topic, medium, to });
    return `A test message is on its way to ${to}.`;
  });
  return (
    <Card
      title="Send a test"
      note={isChanged ? 'Sends what is saved, without your changes.' : 'To yourself, with a sample product.'}
    >
      <ActionForm action={send} label="Send test" tone="secondary">
        <div class="field-row">
          <Choice
            label="By"
            value={medium}
            options={channels.map((one) => ({ value: one.medium, label: one.label }))}
            onValue={setMedium}
          />
          <TextField
            label={channel.contactLabel}
            name="to"
            required
            autocomplete="off"
            placeholder={channel.contactSample}
            {...contact}
          />
        </div>
      </ActionForm>
    </Card>
  );
}

function Progress({ topic, epis }: { topic: string; epis: Epis }) {
  const progress = useQuery(gql.SendProgressDocument, { topic, epis });
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

function Picked({ products, onRemove }: { products: FoundProduct[]; onRemove: (epi: Epis[number]) => void }) {
  if (products.length === 0) return null;
  return (
    <ul class="plain-list chips" aria-label="Products to tell of">
      {products.map((product) => (
        <li key={product.epi}>
          <span>{shortTitleOf(product)}</span>
          <Button
            text="✕"
            look="icon plain-button"
            label={`Remove ${shortTitleOf(product)}`}
            onClick={() => onRemove(product.epi)}
          />
        </li>
      ))}
    </ul>
  );
}

function Count({ topic, epis, channels }: { topic: string; epis: Epis; channels: Channels }) {
  return (
    <Loaded query={useQuery(gql.SendAudienceDocument, { topic, epis })} lines={1}>
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
              ({waysText(reach.media, channels, 1)}).
            </>
          )}
        </p>
      )}
    </Loaded>
  );
}

function SendNow({ topic, channels, isChanged }: Props) {
  const { run } = useSession();
  const [products, setProducts] = useState<FoundProduct[]>([]);
  const [sent, setSent] = useState<{ epis: Epis; turn: number } | null>(null);
  const epis = products.map(({ epi }) => epi);
  const pick = (product: FoundProduct): void => {
    setSent(null);
    if (!epis.includes(product.epi) && epis.length < MAX_PRODUCTS) setProducts([...products, product]);
  };
  const send = async () => {
    const { triggerTopic } = await run(gql.TriggerTopicDocument, { topic, epis });
    setProducts([]);
    if (triggerTopic.opened === 0) return 'Nobody waits for these products.';
    setSent((before) => ({ epis, turn: (before?.turn ?? 0) + 1 }));
    return `${topic} is on its way.`;
  };
  const count = <Count topic={topic} epis={epis} channels={channels} />;
  const ask = (
    <Confirm title={`Send ${topic} now?`} label="Send" onSubmit={send}>
      {count}
      <p>
        About {products.slice(0, 5).map(shortTitleOf).join('; ')}
        {products.length > 5 && ` and ${plural(products.length - 5, 'other')}`}. Messages that are out cannot
        be called back.
      </p>
    </Confirm>
  );
  return (
    <Card
      title="Send now"
      note={`To everybody who waits for these products on this topic, whatever the stock.${isChanged ? ' Sends what is saved, without your changes.' : ''}`}
    >
      <ProductPicker label="Add a product" onPick={pick} />
      <Picked
        products={products}
        onRemove={(epi) => setProducts(products.filter((one) => one.epi !== epi))}
      />
      {products.length > 0 && count}
      <div class="buttons">
        <Button text="Send now…" look="secondary" disabled={products.length === 0} opens={ask} />
      </div>
      {sent && <Progress key={sent.turn} topic={topic} epis={sent.epis} />}
    </Card>
  );
}

export function TopicSend(props: Props) {
  return (
    <div class="columns thirds">
      <Audience {...props} />
      <TestSend {...props} />
      <SendNow {...props} />
    </div>
  );
}
