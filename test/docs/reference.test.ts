import { init } from '../../packages/client/src/wishgate.ts';
import { SHOWN_MS, copyFrom } from '../../src/web/site/copy.ts';
import { firstValues, setUpDemo } from '../../src/web/site/docs/demo.ts';
import type { Demo } from '../../src/web/site/docs/demo.ts';
import { areasOf } from '../../src/web/site/docs/model.ts';
import type { Call, Document } from '../../src/web/site/docs/model.ts';
import { PREPARATIONS } from '../../src/web/site/docs/prepare.ts';
import { requestOf, send } from '../../src/web/site/docs/request.ts';
import type { Values } from '../../src/web/site/docs/request.ts';
import { sampleOf } from '../../src/web/site/docs/samples.ts';
import type { Language } from '../../src/web/site/docs/settings.ts';
import { useService } from '../harness.ts';
import { openApi } from '../openapi.ts';

// What the API reference sends and shows, made by the code that its page runs. The page itself is tested in a browser.

const service = useService({ demo: true, rateLimits: false });
const reference = openApi() as unknown as Document;
/** Two need the word of a login provider or of Shopify, which the demo store has not. */
const calls = areasOf(reference)
  .flatMap((area) => area.calls)
  .filter(({ operationId }) => !['shopperLogin', 'shopifyProxyLogin'].includes(operationId));

const { fetch: request } = globalThis;
let demo: Demo;

beforeAll(async () => {
  // As in a browser: addresses are those of the service, and a page of its own asks.
  globalThis.fetch = (address, options) =>
    request(new URL(address as string, service.url), {
      ...options,
      headers: { ...(options?.headers as Values), origin: service.url },
    });
  demo = await setUpDemo(service.demo!, service.url);
});
afterAll(() => void (globalThis.fetch = request));

/** The fields that the page fills in, after what it does before it sends. */
const valuesOf = async (call: Call): Promise<Values> => ({
  ...firstValues(call, demo, service.url),
  ...(await PREPARATIONS[call.operationId]?.run(demo, service.url)),
});

const codesOf = async (call: Call, language: Language): Promise<string[]> => {
  const { credentials } = demo;
  const rest = { setUp: null, chooseLanguage: () => undefined, schemas: {} };
  const settings = { address: service.url, credentials, demo, language, ...rest };
  return sampleOf(call, await valuesOf(call), settings).map(({ code }) => code);
};

test('every call succeeds with the fields that the page fills in, in its order, and once more', async () => {
  for (const round of [1, 2])
    for (const call of calls) {
      const { operationId, response } = call;
      const { status, body } = await send(requestOf(call, await valuesOf(call), demo.credentials));
      expect([operationId, round, status]).toEqual([operationId, round, 200]);
      if (response.type === 'text/csv') expect(body.split('\n')[0]).toBe(response.example.split('\n')[0]);
    }
});

test('the GraphQL of every call works as it is copied', async () => {
  for (const call of calls) {
    const [query, variables, headers] = await codesOf(call, 'GraphQL');
    const { body } = await service.http
      .post('/graphql')
      .set({ ...(JSON.parse(headers!) as Values), origin: service.url })
      .send({ query, variables: JSON.parse(variables!) as object });
    expect([call.operationId, body.errors]).toEqual([call.operationId, undefined]);
  }
});

/** Runs code as a script of a page; a call by fetch prints its status first. */
async function run(code: string): Promise<string> {
  const printed: unknown[][] = [];
  const body = `${code.replaceAll('console.log(', 'print(')}; if (typeof stop === 'function') stop();`;
  const Async = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (print: (...values: unknown[]) => void, wishgate: object) => Promise<void>;
  try {
    await new Async('print', 'wishgate', body)((...values) => printed.push(values), { init });
  } catch (error) {
    return String(error);
  }
  const status = printed[0]?.[0];
  return typeof status === 'number' && status >= 300 ? `status ${status}` : 'done';
}

test('the JavaScript of every call works as it is copied', async () => {
  for (const call of calls) {
    const [code] = await codesOf(call, 'JavaScript');
    expect(`${call.operationId} ${await run(code!)}`).toBe(`${call.operationId} done`);
  }
});

test('a copy button says for a moment whether the code was copied', async () => {
  const names = ['navigator', 'setTimeout'] as const;
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const seen: unknown[] = [];
  const setTimeout = (work: () => void, ms: number): void => {
    seen.push(button.textContent, ms);
    work();
    seen.push(button.textContent);
  };
  const button = { textContent: 'Copy' } as HTMLElement;
  try {
    for (const writeText of [
      async (text: string) => void seen.push(text),
      () => Promise.reject(new Error()),
    ]) {
      const replaced = { navigator: { clipboard: { writeText } }, setTimeout };
      for (const name of names)
        Object.defineProperty(globalThis, name, {
          value: replaced[name],
          configurable: true,
          writable: true,
        });
      await copyFrom(button, 'the code');
    }
  } finally {
    for (const [name, property] of before)
      if (property) Object.defineProperty(globalThis, name, property);
      else Reflect.deleteProperty(globalThis, name);
  }
  const afterwards = [SHOWN_MS, 'Copy'];
  expect(seen).toEqual(['the code', 'Copied', ...afterwards, 'Select and copy it', ...afterwards]);
});
