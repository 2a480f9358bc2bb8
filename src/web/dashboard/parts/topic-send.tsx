import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useAction, usePolling, useQuery, useSession, useText } from '../session.ts';
import { channelName, find, rich, t, topicName } from '../text.ts';
import { Choice, TextField } from './fields.tsx';
import { ActionForm, Confirm } from './form.tsx';
import { Button, Card, Loaded } from './layout.tsx';
import { ProductPicker, shortTitleOf } from './product.tsx';
import type { FoundProduct } from './product.tsx';

const REFRESH_MS = 2_000;
const MAX_PRODUCTS = 100;

type Channels = gql.ChannelFieldsFragment[];
type Props = { topic: string; language: string | null; channels: Channels; isChanged: boolean };
type Counts = { medium: string; count: number }[];
type Epis = (string | number)[];

/** For example "Email: 10, SMS: 2". */
function waysText(counts: Counts, channels: Channels, least: number): string {
  const ways = channels.flatMap(({ medium }) => {
    const count = counts.find((entry) => entry.medium === medium)?.count ?? 0;
    return count >= least ? [t('send.by', { count, channel: channelName(medium) })] : [];
  });
  return ways.join(', ');
}

function Audience({ topic, channels }: Props) {
  return (
    <Card title={t('send.audience')} note={t('send.audienceNote')}>
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

function TestSend({ topic, language, channels, isChanged }: Props) {
  const { run } = useSession();
  const [medium, setMedium] = useState(channels[0]!.medium);
  const contact = useText();
  const sendTest = async (): Promise<string> => {
    const to = contact.value.trim();
    await run(gql.SendTestAlertDocument, { topic, language, medium, to });
    return t('send.testSent', { contact: to });
  };
  const send = useAction(sendTest, { isWrite: false });
  return (
    <Card title={t('send.test')} note={t(isChanged ? 'send.testSaved' : 'send.testNote')}>
      <ActionForm action={send} label={t('send.testSubmit')} tone="secondary">
        <div class="field-row">
          <Choice
            label={t('send.channel')}
            value={medium}
            options={channels.map((one) => ({ value: one.medium, label: channelName(one.medium) }))}
            onValue={setMedium}
          />
          <TextField
            label={find(`contact.${medium}`) ?? t('table.contact')}
            name="mediumvalue"
            problem={find(`error.contact.${medium}`)}
            required
            autocomplete="off"
            placeholder={channels.find((one) => one.medium === medium)!.contactSample}
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
              aria-label={t('send.progress')}
              value={total === 0 && !isDone ? undefined : total - queued}
              max={Math.max(total, 1)}
            />
            <p class="muted">
              {rich(isDone ? 'send.done' : 'send.running', {
                text: t('send.sentOf', { sent, total, failed, withheld }),
                link: <a href={hrefTo('alerts')}>{t('send.seeAlerts')}</a>,
              })}
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

function Count({ topic, epis, channels }: { topic: string; epis: Epis; channels: Channels }) {
  return (
    <Loaded query={useQuery(gql.AudienceDocument, { topic, epis })} lines={1}>
      {({ audience: { reach } }) => (
        <p role="status">
          {!reach || reach.people === 0
            ? t('send.nobody')
            : rich('send.reach', {
                reach: (
                  <strong>{t('send.reachCount', { messages: reach.messages, people: reach.people })}</strong>
                ),
                channels: waysText(reach.media, channels, 1),
              })}
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
    if (triggerTopic.opened === 0) return t('send.nobody');
    setSent((before) => ({ epis, turn: (before?.turn ?? 0) + 1 }));
    return t('send.started', { topic: topicName(topic) });
  };
  const count = <Count topic={topic} epis={epis} channels={channels} />;
  const ask = (
    <Confirm title={t('send.title', { topic: topicName(topic) })} label={t('send.submit')} onSubmit={send}>
      {count}
      <p>
        {t('send.about', {
          products: products.slice(0, 5).map(shortTitleOf).join('; '),
          more: Math.max(0, products.length - 5),
        })}
      </p>
    </Confirm>
  );
  return (
    <Card
      title={t('send.now')}
      note={[t('send.nowNote'), isChanged && t('send.testSaved')].filter(Boolean).join(' ')}
    >
      <ProductPicker label={t('send.add')} onPick={pick} />
      {products.length > 0 && (
        <>
          <ul class="plain-list chips" aria-label={t('send.picked')}>
            {products.map((product) => (
              <li key={product.epi}>
                <span>{shortTitleOf(product)}</span>
                <Button
                  text="✕"
                  look="icon plain-button"
                  label={t('send.remove', { product: shortTitleOf(product) })}
                  onClick={() => setProducts(products.filter((one) => one !== product))}
                />
              </li>
            ))}
          </ul>
          {count}
        </>
      )}
      <div class="buttons">
        <Button text={t('send.nowMore')} look="secondary" disabled={products.length === 0} opens={ask} />
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
