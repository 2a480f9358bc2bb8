/** The calls that need the API key. */
export type Backend = {
  identify(visitor: {
    guestId?: string | null;
    email?: string | null;
  }): Promise<{ regid: string; sessionid: string }>;
  notifyMe(wish: {
    email: string;
    product: { epi: number | string; empi: number | string; du: string };
    /** Default: `backinstock`. */
    topic?: string;
    /** The visitor, whose own alerts then include it. */
    regid?: string | null;
    /** Of the messages, such as `navigator.language`; the store's if omitted. */
    language?: string;
  }): Promise<{ message: string }>;
  reportOrder(order: {
    orderId: string;
    currency: string;
    lines: { epi: number | string; quantity: number; price: string }[];
    email?: string | null;
    regid?: string | null;
    click?: string | null;
  }): Promise<{ orderId: string; total: string }>;
};

export declare function createBackend(options: { baseUrl: string; pid: string; apiKey: string }): Backend;
