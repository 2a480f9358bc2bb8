import vm from 'node:vm';
import type { WishgateError } from '../../packages/client/src/wishgate.ts';
import type { TestService, TestShopper } from '../harness.ts';

/** A function of the object that pages call; which arguments it takes is what tests are about. */
export type PageFunction = (...given: unknown[]) => Promise<unknown>;

/** The object that pages call, as loosely as they know it. */
export type Swat = Record<string, PageFunction> & {
  api: Record<string, PageFunction>;
  SaveForLater: Record<string, PageFunction>;
  wishlist: Record<string, PageFunction>;
  ui: Record<string, PageFunction> & { uiRef: { settings: Record<string, Record<string, unknown>> } };
  storage: Record<string, (...given: unknown[]) => unknown>;
  key: Record<string, string>;
  utils: Record<string, (...given: unknown[]) => unknown>;
  platform: { isLoggedIn(): boolean; isInDeviceCart(epi: number): boolean };
  evtLayer: EventTarget;
  JSEvents: Record<string, string>;
  EventTypes: Record<string, number>;
  retailerSettings: Record<string, Record<string, unknown>>;
};

/** A page of a shop, as far as the script sees it. */
export type Page = {
  swat: Swat;
  window: Record<string, unknown> & { SwymCallbacks: unknown[] };
  /** Addresses of the requests made, newest last. */
  requests: string[];
  /** What the page's windows were led to. */
  opened: string[];
  /** What the console shows. */
  warnings: string[];
  /** Paths of the scripts that the page loaded, in order. */
  loaded: string[];
  /** Requests to the shop's own origin. */
  orders: { path: string; body: string | undefined }[];
  /** What the page's own callbacks threw, and the console would show. */
  thrown: unknown[];
  become: (who: TestShopper & { email?: string | null }) => void;
};

/** What of a value would cross the wire: objects of the page's own realm are none of the test's. */
const plain = <Value>(value: Value): Value =>
  value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);

type Options = {
  dataset?: Record<string, string>;
  callbacks?: unknown[];
  options?: object;
  isOffline?: boolean;
  /** What the shop's own origin answers, by path: a body, an error's status, or nothing for ever. */
  shop?: Record<string, object | number | 'never'>;
  /** What the page's own scripts have set. */
  globals?: Record<string, unknown>;
  hasBackEnd?: boolean;
  /** How often the second file does not load. */
  misses?: number;
};

/** Opens a page that has the tag of compat.js, whose back end says that the visitor is `shopper`. */
export async function openPage(
  service: TestService,
  shopper: TestShopper & { email?: string | null },
  {
    dataset = {},
    callbacks,
    options,
    isOffline = false,
    shop = {},
    globals,
    misses = 0,
    hasBackEnd = true,
  }: Options = {},
): Promise<Page> {
  let who = shopper;
  const requests: string[] = [];
  const opened: string[] = [];
  const thrown: unknown[] = [];
  const warnings: string[] = [];
  const loaded: string[] = [];
  const orders: Page['orders'] = [];
  let missed = 0;
  const stored = new Map<string, string>();
  const window: Record<string, unknown> = {
    console: { ...console, warn: (warning: unknown) => warnings.push(String(warning)) },
    URL,
    URLSearchParams,
    AbortController,
    EventTarget,
    CustomEvent,
    Element: class Element extends Error {},
    localStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
      removeItem: (name: string) => void stored.delete(name),
    },
    setTimeout,
    clearTimeout,
    queueMicrotask: (job: () => void) =>
      queueMicrotask(() => {
        try {
          job();
        } catch (error) {
          thrown.push(error);
        }
      }),
    location: { href: 'https://shop.example/products/7?variant=1' },
    open: () => ({
      location: {
        set href(url: string) {
          opened.push(url);
        },
      },
      close: () => opened.push('closed'),
    }),
    fetch: async (url: string, request: RequestInit) => {
      if (url.startsWith('/'))
        return hasBackEnd ? new Response(JSON.stringify(who)) : new Response('', { status: 404 });
      if (url.startsWith('https://shop.example/')) {
        const { pathname } = new URL(url);
        const answer = shop[pathname] ?? 404;
        orders.push({ path: pathname, body: request.body as string | undefined });
        if (answer === 'never') return new Promise(() => undefined);
        return typeof answer === 'number'
          ? new Response('{"description":"No"}', { status: answer })
          : new Response(JSON.stringify(answer));
      }
      requests.push(url);
      if (isOffline) throw new TypeError('Failed to fetch');
      return fetch(url, { ...request, headers: { ...request.headers, origin: 'https://shop.example' } });
    },
    document: {
      currentScript: {
        src: `${service.url}/client/compat.js`,
        nonce: '',
        dataset: { pid: shopper.pid, ...dataset },
      },
      createElement: () => ({}),
      addEventListener: () => undefined,
      querySelectorAll: () => [],
      querySelector: () => null,
      getElementById: () => null,
      head: {
        append: async (script: { src: string; onload: () => void; onerror: () => void }) => {
          loaded.push(new URL(script.src).pathname);
          if (script.src.includes('compat-more') && missed < misses) {
            missed += 1;
            return script.onerror();
          }
          vm.runInContext(await (await fetch(script.src)).text(), context);
          script.onload();
        },
      },
    },
    wishgateOptions: options,
    SwymCallbacks: callbacks ?? [],
    ...globals,
  };
  window['window'] = window;
  const context = vm.createContext(window);
  const { text } = await service.http.get('/client/compat.js').expect(200);
  const swat = new Promise<Swat>((resolve) => (window['SwymCallbacks'] as unknown[]).push(resolve));
  vm.runInContext(text, context);
  return {
    swat: await swat,
    window: window as Page['window'],
    requests,
    opened,
    thrown,
    warnings,
    loaded,
    orders,
    become: (next) => void (who = next),
  };
}

/** What a call's callbacks heard: each call of them, in order. */
export type Heard = { name: 'ok' | 'err'; value: unknown };

/** Calls with both callbacks after the arguments, and waits until one is called and everything due is done. */
export async function heardOf(call: (ok: unknown, err: unknown) => unknown): Promise<Heard[]> {
  const heard: Heard[] = [];
  await new Promise<void>((resolve) => {
    const hear = (name: Heard['name']) => (value: unknown) => {
      heard.push({ name, value });
      resolve();
    };
    call(hear('ok'), hear('err'));
  });
  await new Promise((resolve) => setImmediate(resolve));
  return heard;
}

/** The answer of a call of which `ok` was called, once, and `err` was not. */
export async function answerOf<Answer = unknown>(
  call: (ok: unknown, err: unknown) => unknown,
): Promise<Answer> {
  const heard = await heardOf(call);
  if (heard.length !== 1 || heard[0]!.name !== 'ok')
    throw new Error(`Heard ${heard.map(({ name, value }) => `${name}(${String(value)})`).join()}`);
  return plain(heard[0]!.value) as Answer;
}

/** The failure of a call of which `err` was called, once, and `ok` was not. */
export async function failureOf(call: (ok: unknown, err: unknown) => unknown): Promise<WishgateError> {
  const heard = await heardOf(call);
  if (heard.length !== 1 || heard[0]!.name !== 'err')
    throw new Error(`Heard ${heard.map(({ name }) => name).join()}`);
  return heard[0]!.value as WishgateError;
}
