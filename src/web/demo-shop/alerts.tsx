import type { JSX } from 'preact';
import type { ProductAlert } from '../../sdk/client/wishgate.ts';
import { stopWaiting } from './actions.ts';
import { Empty, Ghosts, RemoveButton, Row, Title, ToShop, money } from './parts.tsx';
import { useTitle } from './route.ts';
import { findProduct, shop } from './state.ts';

const WHEN: Record<string, string> = {
  backinstock: 'when it is back in stock',
  pricedrop: 'when it costs less',
};

function AlertRow({ alert }: { alert: ProductAlert }): JSX.Element {
  const { product, epi, topic, mediumvalue, confirmed } = alert;
  const known = findProduct(epi);
  const title = known?.dt ?? product.dt ?? 'A product';
  const details = (
    <>
      <p>
        A mail to {mediumvalue} {WHEN[topic] ?? `about ${topic}`}
      </p>
      <p class="hint">
        {confirmed
          ? known && `${known.stk > 0 ? 'In stock' : 'Sold out'} · ${money(known.pr)} now`
          : 'Not yet: please open the link in the mail that we sent there'}
      </p>
    </>
  );
  return (
    <Row iu={known?.iu ?? product.iu} title={title} slug={known?.slug} level={2} details={details}>
      <RemoveButton
        label={`Stop waiting for ${title}: ${WHEN[topic] ?? topic}`}
        text="Stop"
        onRemove={() => stopWaiting(alert)}
      />
    </Row>
  );
}

export function AlertsView(): JSX.Element {
  const { alerts } = shop;
  useTitle('My alerts');
  if (alerts?.length === 0)
    return (
      <Empty title="No alerts yet">
        <p>Ask to be told when a product is back or costs less, and it appears here.</p>
        <ToShop />
      </Empty>
    );
  return (
    <>
      <Title>My alerts</Title>
      {!alerts && <Ghosts />}
      <ul class="lines">
        {alerts?.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
    </>
  );
}
