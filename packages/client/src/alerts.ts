import type { Caller } from './caller.ts';
import { OWN_ADDRESS, SUBSCRIBE } from '../../../src/sdk/documents.ts';
import { clientError } from './error.ts';
import type { AlertAnswer, AlertPage, AlertRef, AlertRequest, ProductAlerts, VariantId } from './types.ts';

type Me = { shopper: { isGuest: boolean; userinfo: { em: string | null } | null } };

/** What the browser prefers; undefined outside of browsers. */
export const browserLanguage = (): string | undefined => globalThis.navigator?.language;

export function createAlerts(caller: Caller) {
  const me = async () => (await caller.graphql<Me>(OWN_ADDRESS, {})).shopper;
  const subscribe = async (alert: AlertRequest): Promise<AlertAnswer> => {
    // GraphQL rejects unknown fields, and storefronts pass whole products.
    const products = alert.products.map(({ epi, empi, du }) => ({ epi, empi, du }));
    const { medium = 'email', topics = ['backinstock'], language = browserLanguage() } = alert;
    const input: AlertRequest = { ...alert, medium, topics, products, language };
    if (medium === 'email' && input.mediumvalue === undefined)
      input.mediumvalue = (await me()).userinfo?.em ?? undefined;
    return (await caller.graphql<{ subscribe: AlertAnswer }>(SUBSCRIBE, { input })).subscribe;
  };

  return {
    isLoggedIn: async () => !(await me()).isGuest,
    subscribe,
    fetch: (page?: AlertPage) => caller.rest<ProductAlerts>('subscriptions/fetch-subs', { ...page }),
    end: async (alert: AlertRef) => {
      const { id, epi, topic } = alert as { id?: string; epi?: VariantId; topic?: string };
      // A call without either is a mistake: the service would end all alerts.
      if (!id && epi == null) throw clientError('invalid-request', 'Name the alert by its id or epi');
      return caller.rest<{ msg: string; removed: number }>('subscriptions/unsubscribe', { id, epi, topic });
    },
  };
}
