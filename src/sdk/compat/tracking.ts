import { clientError } from '../../../packages/client/src/error.ts';
import type { Tools } from './more.ts';

/** Events that the public product records. The service records none from browsers; those of the cart reach the page's listeners. */
export function createTracking({ emit, tag }: Tools) {
  const report = (name: string) => async (product: unknown) => {
    emit(name, product);
    return { message: 'Successfully reported' };
  };
  /** Warns once. */
  const refuse = (why: string) => {
    let isShown = false;
    return async (): Promise<never> => {
      if (!isShown) console.warn(why);
      isShown = true;
      throw Object.assign(clientError('not-supported', why), { isShown });
    };
  };
  return {
    addToCart: report('addedToCart'),
    dropFromCart: report('removedFromCart'),
    trackPageview: refuse('trackPageview: page views are not recorded'),
    reportPurchase: refuse("reportPurchase: the shop's back end reports orders"),
    remoteAuthRequest: refuse("remoteAuthRequest: shoppers log in by the shop's own login"),
    authCheck: async () => tag.account(),
  };
}
