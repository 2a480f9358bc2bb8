import { tell } from '../client/failure.ts';
import type * as library from '../client/wishgate.ts';
import { createSwat } from './functions.ts';

type Swat = ReturnType<typeof createSwat>;
type Queue = ((swat: Swat) => void)[];
/** Who the shopper is, and the address that a back end may tell beside it; null for a guest. */
type Told = library.Identity & { email?: string | null };

/** What this script finds on a page and leaves there. */
type Globals = {
  wishgate?: typeof library;
  /** Options of `init` that a script tag cannot say, for example `identify` as a function. */
  wishgateOptions?: Partial<library.WishgateOptions>;
  wishgateCompat?: boolean;
  SwymCallbacks?: Queue;
  SwymUtils?: unknown;
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
/** The service is where this script came from. */
const baseUrl = new URL('..', tag.src).href.replace(/\/$/, '');
const given = page.wishgateOptions ?? {};

let email: string | null | undefined;
let questions = 0;

/** Asks the store's own back end, by the function that the page has for it or at the tag's address. */
async function ask(): Promise<library.Identity> {
  questions += 1;
  const mine = questions;
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const answer = given.identify ? null : await fetch(address, { ...request, credentials: 'include' });
  if (answer && !answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const who = (answer ? await answer.json() : await given.identify!()) as Told;
  // After a newer question, this answer only says who the shopper was.
  if (mine === questions) ({ email } = who);
  return who;
}

/** The library, from the page or from beside this script. */
function loadLibrary(): Promise<typeof library> {
  return new Promise((resolve, reject) => {
    if (page.wishgate) return resolve(page.wishgate);
    const script = document.createElement('script');
    script.src = `${baseUrl}/client/wishgate.js`;
    script.nonce = tag.nonce;
    script.onload = () => resolve(page.wishgate!);
    script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
    document.head.append(script);
  });
}

function linkTo(pid: string, lid: string): string {
  const template = shareUrl ?? `${baseUrl}/shared/{lid}?pid={pid}`;
  return new URL(
    template.replace('{lid}', encodeURIComponent(lid)).replace('{pid}', encodeURIComponent(pid)),
    location.href,
  ).href;
}

async function start(): Promise<void> {
  // The first question is asked while the library is on its way.
  const asked = ask();
  const isAnswered = asked.catch(() => undefined);
  let next: Promise<library.Identity> | null = asked;
  const options = {
    ...others,
    baseUrl,
    timeoutMs: timeoutMs ? Number(timeoutMs) : undefined,
    ...given,
    identify: () => {
      const who = next ?? ask();
      next = null;
      return who;
    },
  } as library.WishgateOptions;
  const client = (await loadLibrary()).init(options);

  /** What the service says where the back end tells no address. */
  let hasAccount = false;
  const learn = async (): Promise<void> => {
    if (email === undefined) hasAccount = await client.isLoggedIn().catch(() => false);
  };
  const swat = createSwat(
    client,
    {
      listName: listName ?? 'My Wishlist',
      currency: currency ?? '',
      linkTo: (lid) => linkTo(options.pid, lid),
    },
    () => (email === undefined ? hasAccount : !!email),
  );
  client.onChange((change) => void (change === 'identity' && learn()));
  await isAnswered;
  await learn();

  page._swat = swat;
  page.SwymUtils ??= swat.utils;
  /** Runs what waits in a queue, and what is pushed later at once. A page may also put another queue in its place. */
  const take = (queue: Queue): Queue => {
    queue.push = (...callbacks) => {
      callbacks.forEach((callback) => tell(callback, swat));
      return queue.length;
    };
    queue.push(...queue.splice(0));
    return queue;
  };
  const waiting = (page.SwymCallbacks ??= []);
  let current = waiting;
  // Where the page declared it with `var` this is refused, and such a page does not replace it either.
  Reflect.defineProperty(page, 'SwymCallbacks', {
    get: () => current,
    set: (queue: Queue) => void (current = take(queue)),
  });
  take(waiting);
}

// A page that has the tag twice gets one object.
if (!page.wishgateCompat) {
  page.wishgateCompat = true;
  start().catch((error: unknown) => console.error(error));
}
