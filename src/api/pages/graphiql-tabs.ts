import type { Request } from 'express';
import { parse, print } from 'graphql';
import type { Services } from '../../context.ts';
import type { DemoStore } from '../../web/demo-store/demo.ts';
import { ensureDemoVisitor } from '../../web/demo-store/visitor.ts';
import type { DemoVisitor } from '../../web/demo-store/visitor.ts';
import { ownAddress } from '../loopback.ts';
import { basicOf } from '../sign-in.ts';

type Tab = { query: string; variables?: string; headers: string };

const explained = (comment: string, document: string): string =>
  `${comment.replace(/^(?=.)/gm, '# ').replace(/^$/gm, '#')}\n\n${print(parse(document))}\n`;

const STORE = explained(
  `Press ▶ (Ctrl+Enter) to run this query with
the headers at the bottom. The book icon opens
the documentation of every type and field.

A store's back end authenticates with
Authorization: Basic base64(pid:key).`,
  `query Store {
    store { pid name listTypes }
    products(first: 3) { totalCount edges { node { epi dt stk waiting wishlisted } } }
  }`,
);

const SHOPPER = explained(
  `A shopper's browser sends x-pid, x-regid and
x-sessionid. The store's back end gets the
last two from generateRegid.`,
  `query Shopper {
    shopper {
      regid isGuest
      lists(first: 1) { totalCount }
      saveForLaterList { cnt }
      isInLists(epis: [1001, 1002]) { epi isInList }
    }
  }`,
);

const LISTS = explained(
  'A list contains items, and each item has its product.',
  `query Lists {
    lists(first: 5) {
      totalCount
      edges { node { lid lname cnt items(first: 10) { edges { node { epi qty product { dt pr stk } } } } } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
);

const SAVE = explained(
  `Saves a mug to the list that the variables
name. Saving it again changes it and never
adds it twice.`,
  `mutation Save($lid: ID!, $a: [ItemInput!]) {
    updateListContents(lid: $lid, a: $a) {
      cnt a { epi dt note }
    }
  }`,
);

const MUG = { epi: 1003, empi: 103, du: '/demo#/p/mug', note: 'the green one' };

const IDENTITY = explained(
  `Your back end gets a guest's permanent identity by a
UUID that your storefront made up. With useremail as
well, the guest logs in and keeps its lists.`,
  `mutation Identity($uuid: String, $useremail: String) {
    generateRegid(uuid: $uuid, useremail: $useremail, useragenttype: "GraphiQL") {
      message regid sessionid
    }
  }`,
);

const GUEST = { uuid: '3f0c1f5e-7c55-4b8a-9d43-0a4a5b1d6c11' };

const NOTIFY = explained(
  `"Notify me" for a product that is sold out. A guest's
address gets a message first and must confirm. The
demo store writes messages to files and sends none.`,
  `mutation Notify($input: SubscribeInput!) {
    subscribe(input: $input) {
      message confirmed topics products { dt stk }
    }
  }`,
);

const PRICE_DROP = explained(
  `What each saved item cost when it was saved, and what
it costs now. To be alerted, run Notify with the
topic pricedrop.`,
  `query PriceDrop {
    lists(first: 5) {
      edges { node { lname items(first: 10) { edges { node {
        dt savedPrice { amount currencyCode } currentPrice { amount }
        priceChange { direction percent amount { amount } }
      } } } } }
    }
  }`,
);

const KETTLE = {
  ...{ medium: 'email', mediumvalue: 'visitor@shop.example', topics: ['backinstock'] },
  products: [{ epi: 1002, empi: 102, du: '/demo#/p/kettle' }],
};

const LIVE = explained(
  `A subscription runs until you stop it. Run it,
open GraphiQL in a second window and run Save there.`,
  'subscription Live { lists { rev lids lists { lid lname cnt } } }',
);

const CLOSED = `# Without a store key, this service runs only
# trusted documents (TRUSTED_DOCUMENTS) and
# rejects everything else.

`;

/** The demo store with its visitor, for a browser on the machine that runs the service. */
type Shown = { demo: DemoStore; visitor: DemoVisitor };

/** The demo store with its visitor; null if the visitor cannot be created. */
export async function showDemo(req: Request, { log }: Services, demo: DemoStore): Promise<Shown | null> {
  try {
    return { demo, visitor: await ensureDemoVisitor(ownAddress(req), demo) };
  } catch (error) {
    // The page works also while the demo store is closed for maintenance, or its key is revoked.
    log.warn({ err: error }, 'Could not create the visitor of the demo store');
    return null;
  }
}

/** The tabs, ready to run where credentials may be shown; elsewhere their errors say which headers to set. */
export function tabsFor(shown: Shown | null, isClosed: boolean): Tab[] {
  const { regid, sessionid, lid } = shown?.visitor ?? {};
  const store = shown ? { authorization: basicOf(shown.demo) } : {};
  const session = isClosed ? store : { 'x-pid': shown?.demo.pid, 'x-sessionid': sessionid };
  const shopper = { ...session, 'x-regid': regid };
  const format = (value: object): string => JSON.stringify(value, null, 2);
  return [
    { query: (isClosed ? CLOSED : '') + STORE, headers: format(store) },
    { query: IDENTITY, variables: format(GUEST), headers: format(store) },
    { query: SHOPPER, headers: format(shopper) },
    { query: LISTS, headers: format(shopper) },
    { query: SAVE, variables: format({ lid: lid ?? '', a: [MUG] }), headers: format(shopper) },
    { query: NOTIFY, variables: format({ input: KETTLE }), headers: format(shopper) },
    { query: PRICE_DROP, headers: format(shopper) },
    { query: LIVE, headers: format(shopper) },
  ];
}
