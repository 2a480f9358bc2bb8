// The part of a store's back end that calls wishgate, and the only place that knows the API key. Copy or port it.
import { Buffer } from 'node:buffer';
import { URLSearchParams } from 'node:url';

/** Identifies this kind of client to the service; each kind has its own sessions. */
const USER_AGENT_TYPE = 'storefront';

/** An error response of the service, with its status and type. */
class WishgateBackendError extends Error {
  constructor(status, { type, msg }) {
    super(msg);
    this.status = status;
    this.type = type;
  }
}

/** Makes the calls that need the API key. */
export function createBackend({ baseUrl, pid, apiKey }) {
  const headers = {
    authorization: `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'wishgate-storefront-example',
  };

  async function post(path, fields, regid) {
    const body = new URLSearchParams(fields).toString();
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: regid ? { ...headers, 'x-regid': regid } : headers,
      body,
    });
    const result = await response.json();
    if (!response.ok) throw new WishgateBackendError(response.status, result);
    return result;
  }

  return {
    /**
     * Identifies the visitor: a guest by the id in the cookie, a customer by email address. With both, the guest has just
     * signed in, and the guest's lists are merged into the customer's.
     */
    async identify({ guestId, email }) {
      const { regid, sessionid } = await post('/storeadmin/v3/user/generate-regid', {
        ...(guestId ? { uuid: guestId } : {}),
        ...(email ? { useremail: email } : {}),
        useragenttype: USER_AGENT_TYPE,
      });
      return { regid, sessionid };
    },

    /**
     * Subscribes any email address to a sold-out product; the shop has checked that it may. With the visitor's `regid` the
     * subscription appears among the visitor's own alerts, where they can unsubscribe.
     */
    async notifyMe({ email, product, topic = 'backinstock', regid, language }) {
      const fields = {
        medium: 'email',
        mediumvalue: email,
        products: JSON.stringify([product]),
        topics: JSON.stringify([topic]),
        ...(language ? { language } : {}),
      };
      const { message } = await post('/storeadmin/bispa/subscriptions/create', fields, regid);
      return { message };
    },

    /** Reports an order, so that revenue from alerts and lists is counted; `click` is the parameter `wg` of the page the visitor came to. */
    async reportOrder({ orderId, currency, lines, email, regid, click }) {
      return post('/storeadmin/v3/orders/report', {
        orderId,
        currency,
        lines: JSON.stringify(lines),
        ...(email ? { useremail: email } : {}),
        ...(regid ? { regid } : {}),
        ...(click ? { click } : {}),
      });
    },
  };
}
