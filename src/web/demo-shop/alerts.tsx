import type { ProductAlert } from '../../sdk/client/wishgate.ts';
import { stopWaiting } from './actions.ts';
import type { AlertTopic } from './api.ts';
import { Empty, Ghosts, RemoveButton, Row, Title, ToShop, money } from './parts.tsx';
import { findProduct, shop } from './state.ts';

/** The words of each topic: on its button, in its dialog, and among the alerts. */
export const TOPICS = {
  backinstock: {
    ask: 'Notify me',
    label: 'Notify me:',
    waiting: 'We will tell you',
    title: 'Tell me when it is back',
    text: 'is sold out. Leave your address, and one mail tells you when it is here again.',
    done: 'when it is back',
    when: 'when it is back in stock',
  },
  pricedrop: {
    ask: 'Watch the price',
    label: 'Watch the price of',
    waiting: 'Watching the price',
    title: 'Tell me when the price falls',
    text: 'may cost less some day. Leave your address, and one mail tells you when it does.',
    done: 'when it costs less',
    when: 'when it costs less',
  },
} satisfies Record<AlertTopic, object>;

function AlertRow({ alert }: { alert: ProductAlert }) {
  const { product, epi, topic, mediumvalue, confirmed } = alert;
  const known = findProduct(epi);
  const title = known?.dt ?? product.dt ?? 'A product';
  const { when } = TOPICS[topic as AlertTopic] ?? { when: `about ${topic}` };
  const now = known && `${known.stk > 0 ? 'In stock' : 'Sold out'} · ${money(known.pr)} now`;
  const details = (
    <>
      <p>{`A mail to ${mediumvalue} ${when}`}</p>
      <p class="hint">{confirmed ? now : 'Not yet: please open the link in the mail that we sent there'}</p>
    </>
  );
  const label = `Stop waiting for ${title}: ${when}`;
  return (
    <Row iu={known?.iu ?? product.iu} title={title} slug={known?.slug} level={2} details={details}>
      <RemoveButton label={label} text="Stop" onRemove={() => stopWaiting(alert)} />
    </Row>
  );
}

export function AlertsView() {
  const { alerts } = shop;
  if (alerts?.length === 0)
    return (
      <Empty title="No alerts yet" tab="My alerts">
        <p>Ask to be told when a product is back or costs less, and it appears here.</p>
        <ToShop />
      </Empty>
    );
  const rows = alerts?.map((alert) => <AlertRow key={alert.id} alert={alert} />);
  return (
    <>
      <Title text="My alerts" />
      {!alerts && <Ghosts />}
      <ul class="lines">{rows}</ul>
    </>
  );
}
