import type { ProductAlert } from '../../../packages/client/src/wishgate.ts';
import { stopWaiting } from './actions.ts';
import type { AlertTopic } from './api.ts';
import { Empty, Ghosts, RemoveButton, Row, Title, money } from './parts.tsx';
import { findProduct, linkTo, nameOf, shop } from './state.ts';

/** The words of each topic: on its button, in its dialog, and among the alerts. */
export const TOPICS = {
  backinstock: {
    ask: 'Notify me',
    waiting: "We'll email you",
    title: "Notify me when it's back",
    text: "is sold out. Enter your email address, and we'll send you one email when it's back in stock.",
    when: "when it's back in stock",
  },
  pricedrop: {
    ask: 'Watch price',
    waiting: 'Watching price',
    title: 'Notify me when the price drops',
    text: "might get cheaper. Enter your email address, and we'll send you one email when the price drops.",
    when: 'when the price drops',
  },
} satisfies Record<AlertTopic, object>;

function AlertRow({ alert }: { alert: ProductAlert }) {
  const { product, epi, topic, medium, mediumvalue, confirmed } = alert;
  const known = findProduct(epi);
  const title = nameOf(known ?? product) || 'A product';
  const { when } = TOPICS[topic as AlertTopic] ?? { when: `about ${topic}` };
  const now = known && `${known.stk > 0 ? 'In stock' : 'Sold out'} · ${money(known.pr)} now`;
  const isEmail = medium === 'email';
  const details = (
    <>
      <p>{`We'll ${isEmail ? 'email' : 'send an SMS to'} ${mediumvalue} ${when}`}</p>
      <p class="hint">
        {confirmed
          ? now
          : `Not active yet. Please confirm with the link in the ${isEmail ? 'email' : 'SMS'}.`}
      </p>
    </>
  );
  const label = `Unsubscribe from ${title}: ${when}`;
  return (
    <Row iu={known?.iu ?? product.iu} title={title} href={known && linkTo(known)} level={2} details={details}>
      <RemoveButton label={label} text="Unsubscribe" onRemove={() => stopWaiting(alert)} />
    </Row>
  );
}

export function AlertsView() {
  const { alerts } = shop;
  const how = 'Choose “Notify me” or “Watch price” on a product, and your alert appears here.';
  if (alerts?.length === 0) return <Empty icon="bell" title="No alerts yet" tab="My alerts" text={how} />;
  const rows = alerts?.map((alert) => <AlertRow key={alert.id} alert={alert} />);
  return (
    <>
      <Title text="My alerts" />
      {!alerts && <Ghosts />}
      <ul class="lines">{rows}</ul>
    </>
  );
}
