// The five calls that a storefront's pages make to their own back end. They keep two cookies: a guest's random id, and the
// email address of the signed-in customer, signed so that nobody can forge another one. A real shop already has both.
import { Buffer } from 'node:buffer';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

const GUEST = 'shop_guest';
const CUSTOMER = 'shop_customer';
const YEAR_SECONDS = 31_536_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

function readCookies(header = '') {
  return new Map(header.split(/;\s*/).map((pair) => pair.split('=', 2)));
}

/**
 * Returns `{ status, body, cookies }` for `{ method, path, cookie, body }`, or null when the path is not one of its own.
 * `secret` signs the login; `cookiePath` is the path of the shop; `log` gets errors that the shop has to look into;
 * `priceOf` gives the shop's own prices: prices that a page sends are not trusted.
 */
export function createRoutes(
  backend,
  {
    secret,
    cookiePath = '/',
    isSecure = false,
    log = (error) => console.error(error),
    priceOf = () => null,
    currency = 'EUR',
  },
) {
  const sign = (text) => createHmac('sha256', secret).update(text).digest('base64url');
  const cookie = (name, value, maxAge = YEAR_SECONDS) =>
    `${name}=${value}; Path=${cookiePath}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  function guestOf(cookies) {
    const id = cookies.get(GUEST) ?? '';
    return UUID.test(id) ? id : null;
  }

  function customerOf(cookies) {
    const [encoded = '', signature = ''] = (cookies.get(CUSTOMER) ?? '').split('.');
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(encoded))];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return Buffer.from(encoded, 'base64url').toString('utf8');
  }

  /** The regid of the visitor in the cookies; undefined without cookies. */
  async function regidOf(cookies) {
    const email = customerOf(cookies);
    const guestId = guestOf(cookies);
    if (!email && !guestId) return undefined;
    return (await backend.identify(email ? { email } : { guestId })).regid;
  }

  const handlers = {
    /** Every page calls this once. It returns nothing secret but the visitor's own session. */
    async identify(cookies) {
      const email = customerOf(cookies);
      const guestId = guestOf(cookies) ?? randomUUID();
      const identity = await backend.identify(email ? { email } : { guestId });
      return { status: 200, body: { ...identity, email }, cookies: [cookie(GUEST, guestId)] };
    },

    /** Here a real shop checks a password. Passing both ids merges the guest's lists into the account's. */
    async login(cookies, { email }) {
      if (typeof email !== 'string' || !EMAIL.test(email)) {
        return { status: 400, body: { msg: 'Please enter a valid email address' }, cookies: [] };
      }
      await backend.identify({ guestId: guestOf(cookies), email });
      const encoded = Buffer.from(email).toString('base64url');
      return { status: 200, body: { email }, cookies: [cookie(CUSTOMER, `${encoded}.${sign(encoded)}`)] };
    },

    async logout() {
      return { status: 200, body: {}, cookies: [cookie(CUSTOMER, '', 0), cookie(GUEST, randomUUID())] };
    },

    /** For visitors without an account; the service itself lets an account subscribe its own address only. */
    async notify(cookies, { email, product, topic, language }) {
      if (typeof email !== 'string' || !EMAIL.test(email) || typeof product?.epi === 'undefined') {
        return { status: 400, body: { msg: 'Please enter a valid email address' }, cookies: [] };
      }
      const { epi, empi, du } = product;
      // Only what this shop offers: `topic` comes from a browser.
      const offered = topic === 'pricedrop' ? topic : 'backinstock';
      const regid = await regidOf(cookies);
      const wish = { email, product: { epi, empi, du }, topic: offered, regid };
      const result = await backend.notifyMe({ ...wish, language: String(language ?? '') });
      return { status: 200, body: result, cookies: [] };
    },

    /** Here a real shop takes the payment. Then it reports the order with its customer and the click that led to it. */
    async order(cookies, { lines, click }) {
      const sold = (Array.isArray(lines) ? lines : []).slice(0, 100).map(({ epi, quantity } = {}) => ({
        epi,
        quantity: Math.min(Math.max(Math.trunc(Number(quantity)) || 1, 1), 99),
        price: priceOf(String(epi)),
      }));
      if (sold.length === 0 || sold.some(({ price }) => price === null)) {
        return { status: 400, body: { msg: 'Your cart is empty. Add something to it first.' }, cookies: [] };
      }
      const email = customerOf(cookies);
      const regid = await regidOf(cookies);
      const { orderId, total } = await backend.reportOrder({
        orderId: randomUUID(),
        currency,
        lines: sold,
        email,
        regid,
        click: typeof click === 'string' ? click : null,
      });
      return { status: 200, body: { orderId, total }, cookies: [] };
    },
  };

  return async function respond({ method, path, cookie: header, body }) {
    const handler = method === 'POST' && Object.hasOwn(handlers, path) ? handlers[path] : null;
    if (!handler) return null;
    try {
      return await handler(readCookies(header), body ?? {});
    } catch (error) {
      // Visitors read the service's message about their input or the rate limit; the shop looks into anything else.
      const isForVisitor = error.status === 400 || error.status === 429;
      if (isForVisitor) return { status: error.status, body: { msg: error.message }, cookies: [] };
      log(error);
      return {
        status: 502,
        body: { msg: "Wishlists aren't available right now. Please try again in a moment." },
        cookies: [],
      };
    }
  };
}
