import type { NewStore } from '../../src/stores/store.service.ts';
import { seedSubscription, setStock } from '../alerts/kit.ts';
import { startSmtp } from '../alerts/receivers.ts';
import type { TestSmtp } from '../alerts/receivers.ts';
import { filledBy, startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

/** Far from midnight, when a day's figures begin anew. */
export const NOON = new Date('2026-03-10T12:00:00Z');
export const DAY = 24 * 3_600_000;
export const after = (ms: number): Date => new Date(NOON.getTime() + ms);

/** A service whose mails arrive, with the calls that revenue is made of. */
type RevenueKit = Awaited<ReturnType<typeof startRevenueKit>>;

/** The kit for all tests of a file, and a store for each, at noon. */
export function useRevenueKit(): { kit: RevenueKit; store: NewStore } {
  const kit = filledBy(beforeAll, startRevenueKit);
  beforeEach(() => kit.service.setNow(NOON));
  afterAll(() => kit.close());
  return { kit, store: filledBy(beforeEach, () => kit.service.createStore()) };
}

async function startRevenueKit() {
  const smtp: TestSmtp = await startSmtp();
  const service: TestService = await startService({
    channels: { email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 2, dkim: null } },
  });

  /** Sends a contact an alert; answers the address of its product link, and the way out. */
  const alert = async (
    store: NewStore,
    value: string,
    epi: string,
    product: { uri?: string; topic?: string; isSubscribed?: true } = {},
  ): Promise<{ link: string; path: string; wayOut: string }> => {
    if (!product.isSubscribed) await seedSubscription(service, store, { epi, value, topic: product.topic });
    if (product.topic)
      await service
        .graphql(
          'mutation($topic: TopicName!, $epi: VariantId!) { triggerTopic(topic: $topic, epis: [$epi]) { topic } }',
          { topic: product.topic, epi },
          { store },
        )
        .expect(200);
    else {
      await setStock(service, store, epi, 0, product);
      await setStock(service, store, epi, 5, product);
    }
    await service.runTasks();
    const { html } = smtp.received.findLast(({ to }) => to === value)!.mail;
    const links = [...html!.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
    const link = links.find((href) => !href.includes('/unsubscribe/'))!;
    const out = new URL(links.find((href) => href.includes('/unsubscribe/'))!);
    return { link, path: new URL(link).pathname, wayOut: out.pathname };
  };

  /** Opens a link as a browser does; answers where it led, and the token that came along. */
  const click = async (path: string): Promise<{ location: string; token: string | null }> => {
    const { headers } = await service.http.get(path).expect(302);
    const location = headers['location']!;
    return { location, token: new URL(location).searchParams.get('wg') };
  };

  const report = (store: NewStore, order: object) =>
    service.post(
      '/storeadmin/v3/orders/report',
      { orderId: 'o-1', currency: 'EUR', lines: [{ epi: '7', quantity: 2, price: '10.10' }], ...order },
      { store },
    );

  /** What a report of this order was counted as. */
  const counted = async (store: NewStore, order: object): Promise<[string, string, string]> => {
    const { body } = await report(store, order).expect(200);
    return [body.total, body.fromAlerts, body.fromLists];
  };

  /** The merchant's figures, once the background work is done. */
  const revenue = async (store: NewStore) => {
    await service.runTasks();
    return (await service.get('/storeadmin/v3/revenue', { store }).expect(200)).body;
  };

  return {
    service,
    smtp,
    alert,
    click,
    report,
    counted,
    revenue,
    close: async () => {
      await service.close();
      await smtp.close();
    },
  };
}
