import type { JSX } from 'preact';
import type { ProductAlert } from '../../sdk/client/wishgate.ts';
import { Empty, Ghosts, Picture, RemoveButton, RowTitle, Title, money } from './parts.tsx';
import { useTitle } from './route.ts';
import { useShop } from './state.ts';

const WHEN: Record<string, string> = {
  backinstock: 'when it is back in stock',
  pricedrop: 'when it costs less',
};

function AlertLine({ alert }: { alert: ProductAlert }): JSX.Element {
  const { byEpi, stopWaiting } = useShop();
  const { product, epi, topic, mediumvalue, confirmed } = alert;
  const known = byEpi.get(Number(epi));
  const title = known?.dt ?? product.dt ?? 'A product';
  return (
    <li class="line">
      <Picture iu={known?.iu ?? product.iu} />
      <div class="grow">
        <RowTitle level={2}>{known ? <a href={`#/p/${known.slug}`}>{title}</a> : title}</RowTitle>
        <p>
          A mail to {mediumvalue} {WHEN[topic] ?? `about ${topic}`}
        </p>
        <p class="hint">
          {confirmed
            ? known && `${known.stk > 0 ? 'In stock' : 'Sold out'} · ${money(known.pr)} now`
            : 'Not yet: please open the link in the mail that we sent there'}
        </p>
      </div>
      <RemoveButton
        label={`Stop waiting for ${title}: ${WHEN[topic] ?? topic}`}
        text="Stop"
        onRemove={() => void stopWaiting(alert)}
      />
    </li>
  );
}

/** What the visitor waits for, and how to leave. */
export function AlertsView(): JSX.Element {
  const { alerts, areAlertsKnown } = useShop();
  useTitle('My alerts');
  if (areAlertsKnown && alerts.length === 0)
    return (
      <Empty title="No alerts yet">
        <p>Ask to be told when a product is back or costs less, and it appears here.</p>
        <a class="button primary" href="#/">
          To the shop
        </a>
      </Empty>
    );
  return (
    <>
      <Title>My alerts</Title>
      {!areAlertsKnown && <Ghosts />}
      <ul class="lines">
        {alerts.map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </ul>
    </>
  );
}
