import { notify } from '../../../packages/client/src/error.ts';
import { trackNewest } from '../../../packages/client/src/newest.ts';
import type * as library from '../../../packages/client/src/wishgate.ts';
import { createSwat } from './functions.ts';
import type * as more from './more.ts';

type Swat = ReturnType<typeof createSwat>['swat'];
type Queue = ((swat: Swat) => void)[];
/** The identity, with the email address if the back end sends it; null for a guest. */
type Identified = library.Identity & { email?: string | null };

type Globals = {
  wishgate?: typeof library;
  /** Options of `init` that a script tag cannot express, for example `identify` as a function. */
  wishgateOptions?: Partial<library.WishgateOptions>;
  wishgateCompat?: boolean;
  SwymCallbacks?: Queue;
  SwymUtils?: unknown;
  SwymTracker?: unknown;
  initSwymShopify?: () => void;
  triggerSwymVariantEvent?: unknown;
  wishgateMore?: typeof more;
  _swat?: Swat;
};

const page = window as Globals;
const tag = (document.currentScript ??
  document.querySelector('script[src*="/client/compat.js"]')) as HTMLScriptElement;
const {
  identify: address = '/api/identify',
  shareUrl,
  listName,
  currency,
  timeoutMs,
  ...others
} = tag.dataset;
const baseUrl = new URL('..', tag.src).href.replace(/\/$/, '');
const template = shareUrl ?? `${baseUrl}/shared/{lid}?pid={pid}`;
const given = page.wishgateOptions ?? {};

let email: string | null | undefined;
/** Without one, all visitors are guests, whom the library identifies. */
let hasBackEnd = !!given.identify || address !== '';
const begin = trackNewest();

/** Calls the page's function, or the store's back end at the tag's URL. */
async function identify(): Promise<library.Identity> {
  if (!hasBackEnd) throw new Error('The shop has no back end');
  const isNewest = begin();
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const response = given.identify ? null : await fetch(address, { ...request, credentials: 'include' });
  if (response && !response.ok) {
    // Only the attribute promises one.
    hasBackEnd = tag.dataset['identify'] !== undefined || !/40[45]/.test(String(response.status));
    throw new Error(`${address} returned ${response.status}`);
  }
  const who = (response ? await response.json() : await given.identify!()) as Identified;
  if (isNewest()) ({ email } = who);
  return who;
}

/** Loads a script of the service, which sets the global `name`. */
async function load<Name extends 'wishgate' | 'wishgateMore'>(
  name: Name,
  file: string,
): Promise<NonNullable<Globals[Name]>> {
  if (!page[name])
    await new Promise<void>((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${baseUrl}/client/${file}.js`;
      script.nonce = tag.nonce;
      script.onload = () => resolve();
      script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
      document.head.append(script);
    });
  return page[name]!;
}

async function start(): Promise<void> {
  // Sends the first request while the library loads.
  const first = identify();
  const isIdentified = first.catch(() => undefined);
  let next: Promise<library.Identity> | null = first;
  const options = {
    ...others,
    baseUrl,
    timeoutMs: timeoutMs ? Number(timeoutMs) : undefined,
    ...given,
    identify: () => {
      const who = next ?? identify();
      next = null;
      return who;
    },
  } as library.WishgateOptions;
  const [{ init }] = await Promise.all([load('wishgate', 'wishgate'), isIdentified]);
  const client = init(hasBackEnd ? options : { ...options, identify: undefined });

  /** The service's value, if the back end sends no address. */
  let hasAccount = false;
  const learn = async (): Promise<void> => {
    if (email === undefined) hasAccount = await client.isLoggedIn().catch(() => false);
  };
  const isLoggedIn = (): boolean => (email === undefined ? hasAccount : !!email);
  const { swat, emit } = createSwat(
    client,
    {
      pid: options.pid,
      listName: listName ?? 'My Wishlist',
      currency: currency ?? '',
      template,
      account: () => ({ authn: isLoggedIn(), email: email ?? undefined }),
      loadMore: () => load('wishgateMore', 'compat-more'),
    },
    isLoggedIn,
  );
  client.onChange((change) => void (change === 'identity' && learn()));
  await learn();

  page._swat = swat;
  page.SwymUtils ??= swat.utils;
  page.SwymTracker ??= swat;
  page.triggerSwymVariantEvent = swat.triggerSwymVariantEvent;
  // Generated snippets of themes call the first where the object is there before them, and hide buttons in Safari by the second.
  page.initSwymShopify ??= () => undefined;
  document.getElementById('safari-flasher-pre')?.remove();
  /** Runs the queued functions, and later ones as they are pushed. A page may also replace the queue. */
  const take = (queue: Queue): Queue => {
    queue.push = (...callbacks) => {
      callbacks.forEach((callback) => notify(callback, swat));
      return queue.length;
    };
    queue.push(...queue.splice(0));
    return queue;
  };
  const waiting = (page.SwymCallbacks ??= []);
  let current = waiting;
  // Fails if the page declared it with `var`, but such a page does not replace it either.
  Reflect.defineProperty(page, 'SwymCallbacks', {
    get: () => current,
    set: (queue: Queue) => void (current = take(queue)),
  });
  take(waiting);
  emit('configLoaded', swat.retailerSettings);
}

// A page that includes the tag twice gets one object.
if (!page.wishgateCompat) {
  page.wishgateCompat = true;
  start().catch((error: unknown) => console.error(error));
}
