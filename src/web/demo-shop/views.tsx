import type { ProductAlert } from '../../../packages/client/src/wishgate.ts';
import { backend } from './api.ts';
import { Button, Empty, Row, Title, money } from './parts.tsx';
import { attempt, become, findProduct, linkTo, nameOf, refreshAlerts, shop } from './state.ts';

export const Lists = () => (
  <>
    <Title text="My lists" />
    <wishgate-list for-later share-url="/demo#/shared/{lid}">
      <p slot="empty" class="hint">
        Nothing is saved yet. Tap a heart in the shop, and it appears here.
      </p>
    </wishgate-list>
  </>
);

export const SharedList = ({ lid }: { lid: string }) => (
  <>
    <Title text="A list for you" />
    <wishgate-list lid={lid} />
  </>
);

const WHEN: Record<string, string> = {
  backinstock: "when it's back in stock",
  pricedrop: 'when the price drops',
};

function AlertRow({ alert }: { alert: ProductAlert }) {
  const { id, product, epi, topic, medium, mediumvalue, confirmed } = alert;
  const known = findProduct(epi);
  const title = nameOf(known ?? product) || 'A product';
  const when = WHEN[topic] ?? `about ${topic}`;
  const end = () =>
    attempt(async () => {
      await shop.client!.unsubscribeFromProductAlert({ id });
      await refreshAlerts();
    }, `You won't get this alert for ${title} any more`);
  const details = (
    <>
      <p>{`We'll ${medium === 'email' ? 'email' : 'send an SMS to'} ${mediumvalue} ${when}`}</p>
      <p class="hint">
        {confirmed
          ? known && `${known.stk > 0 ? 'In stock' : 'Sold out'} · ${money(known.pr)} now`
          : 'Not active yet. Please confirm with the link in the email, which is in the test panel.'}
      </p>
    </>
  );
  return (
    <Row iu={known?.iu} title={title} href={known && linkTo(known)} details={details}>
      <Button class="plain" label={`Unsubscribe from ${title}: ${when}`} onClick={end}>
        Unsubscribe
      </Button>
    </Row>
  );
}

export function Alerts() {
  const { alerts } = shop;
  const how = 'Choose “Notify me” on a product, and your alert appears here.';
  if (alerts?.length === 0) return <Empty title="No alerts yet" text={how} />;
  return (
    <>
      <Title text="My alerts" />
      <ul class="lines">
        {alerts?.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
    </>
  );
}

async function send(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const address = new FormData(event.currentTarget as HTMLFormElement).get('email') as string;
  const welcome = `Welcome, ${address}! Everything you saved as a guest is in your account.`;
  if (await attempt(() => become(() => backend.login(address)), welcome)) location.hash = '#/';
}

export const Account = () =>
  shop.email === null ? (
    <form class="lead" onSubmit={(event) => void send(event)}>
      <Title text="Sign in" />
      <p>Keep your lists on every device. Everything you saved as a guest comes with you.</p>
      <label>
        Email address <input name="email" type="email" required autocomplete="email" />
      </label>
      <p class="hint">This is a demo: use any address. You don't need a password, and we won't email it.</p>
      <button class="button primary">Sign in</button>
    </form>
  ) : (
    <>
      <Title text="Your account" />
      <p>You're signed in as {shop.email}.</p>
      <Button onClick={() => attempt(() => become(backend.logout), "You're signed out")}>Sign out</Button>
    </>
  );
