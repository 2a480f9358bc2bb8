import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import supertest from 'supertest';
import { createApp } from '../../src/app.ts';
import { createHttpServer } from '../../src/api/http.ts';
import { REPOSITORY, VERSION } from '../../src/platform/version.ts';
import { startService } from '../harness.ts';
import { item, newAccount } from './list-kit.ts';
import type { TestService } from '../harness.ts';

/** Every page that shows credentials of the demo store to whoever sits at the machine. */
const SHOWING = ['/', '/graphiql', '/docs', '/client'];
/** Every other page, which shows none to anybody. */
const SILENT = ['/docs/openapi.json', '/dashboard', '/demo', '/nothing-here'];

/** What says that a request came from elsewhere, or may have. */
const FROM_ELSEWHERE: Record<string, string>[] = [
  { Host: 'evil.example' },
  { Host: '127.0.0.1.evil.example' },
  { Host: 'localhost.evil.example:80' },
  { 'X-Forwarded-For': '203.0.113.7' },
  { 'X-Forwarded-Host': 'localhost' },
  { Forwarded: 'for=203.0.113.7' },
  { Via: '1.1 proxy' },
  { 'X-Real-IP': '203.0.113.7' },
  { 'CF-Connecting-IP': '203.0.113.7' },
];

const asBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the pages of the service', () => {
  let service: TestService;
  let secrets: string[];

  beforeAll(async () => {
    service = await startService({ demo: true });
    const { apiKey, pid } = service.demo!;
    const { text } = await service.http.get('/graphiql').set(asBrowser).expect(200);
    const of = (name: string): string => new RegExp(`${name}\\\\": \\\\"([^\\\\]+)`).exec(text)![1]!;
    secrets = [
      apiKey,
      Buffer.from(`${pid}:${apiKey}`).toString('base64'),
      of('x-regid'),
      of('x-sessionid'),
      of('lid'),
    ];
  });
  afterAll(() => service?.close());

  const shown = (text: string): string[] => secrets.filter((secret) => text.includes(secret));

  test.each(SHOWING)(
    '%s shows the demo store to a browser on the machine, and no cache keeps it',
    async (path) => {
      const { text, headers } = await service.http.get(path).set(asBrowser).expect(200);
      expect([text.includes(service.demo!.pid), headers['cache-control']]).toEqual([true, 'no-store']);
    },
  );

  test.each(FROM_ELSEWHERE)('nothing of the demo store is shown to a request with %j', async (headers) => {
    for (const path of [...SHOWING, ...SILENT]) {
      const { text } = await service.http.get(path).set({ ...asBrowser, ...headers });
      expect([path, shown(text)]).toEqual([path, []]);
      if (SHOWING.includes(path)) expect([path, text.includes(service.demo!.pid)]).toEqual([path, false]);
    }
    // Whatever the Host says, the address on the page is the configured one.
    const { text } = await service.http.get('/').set({ ...asBrowser, ...headers });
    expect([text.includes('evil.example'), text.includes('/dashboard/demo')]).toEqual([false, false]);
    expect(text).toContain(service.services.config.publicUrl);
  });

  test('nothing is shown where a proxy is trusted, nor to a socket from outside, whatever its headers say', async () => {
    const { config } = service.services;
    const behindProxy = { ...service.services, config: { ...config, trustProxy: ['loopback'] } };
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((found) => found?.family === 'IPv4' && !found.internal)?.address;
    const places = [
      { services: behindProxy, address: '127.0.0.1' },
      ...(outside ? [{ services: service.services, address: outside }] : []),
    ];
    for (const { services, address } of places) {
      const { server, serve } = createHttpServer();
      serve(await createApp(services, { isDraining: false }, service.demo));
      server.listen(0, address);
      await once(server, 'listening');
      const http = supertest(`http://${address}:${(server.address() as AddressInfo).port}`);
      for (const path of SHOWING) {
        const { text } = await http
          .get(path)
          .set({ ...asBrowser, Host: 'localhost:4000' })
          .expect(200);
        expect([path, shown(text)]).toEqual([path, []]);
      }
      server.closeAllConnections();
      server.close();
    }
  });

  test('with a public address nothing of the demo store is shown, and nobody is signed in to it', async () => {
    const config = { ...service.services.config, publicUrl: 'https://wishes.example', hasPublicUrl: true };
    const { server, serve } = createHttpServer();
    serve(await createApp({ ...service.services, config }, { isDraining: false }, service.demo));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = supertest(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const path of SHOWING) {
      const { text } = await http.get(path).set(asBrowser).expect(200);
      expect([path, shown(text), text.includes(service.demo!.pid)]).toEqual([path, [], false]);
    }
    const sameOrigin = { 'Sec-Fetch-Site': 'same-origin', 'X-Wishgate-Dashboard': '1' };
    const { headers } = await http.post('/dashboard/demo').set(sameOrigin).expect(404);
    expect(headers['set-cookie']).toBeUndefined();
    const { body } = await http.get('/dashboard/session').set(sameOrigin).expect(200);
    expect(body).toEqual({ session: null, hasDemo: false });
    server.closeAllConnections();
    server.close();
  });

  test('PUBLIC_URL is the address on the landing page and in the manual', async () => {
    const { config, ...others } = service.services;
    const named = { ...config, publicUrl: 'https://wishes.example', hasPublicUrl: true };
    const { server, serve } = createHttpServer();
    serve(await createApp({ ...others, config: named }, { isDraining: false }, null));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = supertest(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const path of ['/', '/client']) {
      const { text } = await http.get(path).set(asBrowser).expect(200);
      expect(text).toContain('https://wishes.example/client/wishgate.js');
      expect([text.includes('127.0.0.1'), text.includes('YOUR_PID')]).toEqual([false, true]);
    }
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['https://wishes.example', 'https:'],
    ['http://wishes.example', 'https:'],
    ['https://localhost:4000', 'https:'],
    ['http://127.0.0.1.wishes.example', 'https:'],
    ['http://127.0.0.1:4000', 'https: http:'],
    ['http://localhost:4000', 'https: http:'],
    ['http://[::1]:4000', 'https: http:'],
  ])('a service at %s lets pictures of products in over %s', async (publicUrl, schemes) => {
    const { services } = service;
    const app = await createApp(
      { ...services, config: { ...services.config, publicUrl } },
      { isDraining: false },
    );
    const owner = await newAccount(service, await service.createStore());
    const { lid } = await owner.create('Pictures');
    await owner.add(lid, item(1, { iu: 'http://shop.test/plain.png' }));
    await owner.ok('lists/markPublic', { lid });
    const [shared, dashboard] = await Promise.all(
      [`/shared/${lid}`, '/dashboard'].map((path) => supertest(app).get(path).expect(200)),
    );
    expect(shared!.headers['content-security-policy']).toContain(`img-src ${schemes} data:;`);
    expect(shared!.text.includes('<img src="http://shop.test/plain.png"')).toBe(schemes.includes('http:'));
    expect(dashboard!.headers['content-security-policy']).toContain(`img-src 'self' data: ${schemes};`);
  });

  test('an error of a page for shoppers speaks their language, also after a form, and names no page of developers', async () => {
    const inGerman = { ...asBrowser, 'Accept-Language': 'de-AT,en;q=0.5' };
    const cut = await service.http.get('/unsubscribe').set(inGerman).expect(404);
    expect(cut.text).toContain('<html lang="de" dir="ltr">');
    expect(cut.text).toContain('Dieser Link funktioniert nicht');
    const sent = service.http.post('/unsubscribe/nothing?lang=fr').type('form').set(inGerman);
    const failed = await sent.send({ scope: 'nothing' }).expect(400);
    expect(failed.text).toContain('Veuillez réessayer dans quelques minutes.');
    for (const { text } of [cut, failed]) expect(text).not.toMatch(/href="\/(docs|graphiql|dashboard)"/);
    await service.http
      .post('/unsubscribe/nothing')
      .type('form')
      .send({ scope: 'nothing' })
      .expect(400)
      .expect('content-type', /json/);
    expect((await service.http.get('/c').set(asBrowser).expect(404)).text).toContain('<html lang="en"');
  });

  test('an unknown address is a page for people and JSON for programs, and JSON always at the paths of the APIs', async () => {
    const page = await service.http.get('/nothing-here').set(asBrowser).expect(404);
    expect([page.type, page.text.includes('<h1>Not found</h1>')]).toEqual(['text/html', true]);
    expect(page.headers['content-security-policy']).toContain("script-src 'none'");
    await service.http.get('/%E0%A4%A').set(asBrowser).expect(404).expect('content-type', /html/);
    const json = { error: true, type: 'not-found' };
    for (const accept of ['application/json', '*/*', 'application/json, text/html;q=0.5']) {
      const { body } = await service.http.get('/nothing-here').set('Accept', accept).expect(404);
      expect([accept, body]).toMatchObject([accept, json]);
    }
    for (const path of ['/api', '/api/v3/nothing', '/storeadmin/nothing', '/graphql/nothing']) {
      const { body } = await service.http.get(path).set(asBrowser).expect(404);
      expect([path, body]).toMatchObject([path, json]);
    }
    await service.http.post('/nothing-here').set(asBrowser).expect(404).expect('content-type', /json/);
  });

  test('/favicon.ico and the drawing that pages name are pictures', async () => {
    const icon = await service.http.get('/favicon.ico').expect(200).expect('content-type', 'image/x-icon');
    expect([...(icon.body as Buffer).subarray(0, 4)]).toEqual([0, 0, 1, 0]);
    const { text } = await service.http.get('/').expect(200);
    const [, drawing] = /<link rel="icon" href="([^"]+)"/.exec(text)!;
    await service.http
      .get(drawing!)
      .expect(200)
      .expect('content-type', /^image\/svg\+xml/);
  });

  test('the pages for developers lead to each other, and the landing page says what the service is', async () => {
    const others = ['/docs', '/graphiql', '/client', '/dashboard', '/demo', REPOSITORY];
    for (const path of SHOWING) {
      const { text } = await service.http.get(path).set(asBrowser).expect(200);
      const [bar] = /<header[^]*?<\/header>/.exec(text)!;
      expect(others.filter((href) => !bar.includes(`<a href="${href}"`))).toEqual([]);
      expect(bar).toContain(`Version ${VERSION}`);
    }
    const { text } = await service.http.get('/').set(asBrowser).expect(200);
    expect(text).toContain('<h1>Wishlists and back&#8209;in&#8209;stock alerts for any online store</h1>');
    const cards = [...text.matchAll(/class="card" href="([^"]+)"/g)].map(([, href]) => href);
    expect(cards).toEqual(['/demo', '/dashboard', '/docs', '/graphiql', '/client']);
    expect(text.match(/class="reason"/g)).toHaveLength(4);
  });

  test('every tab of GraphiQL runs on the demo store without an edit, and once more', async () => {
    const { text } = await service.http.get('/graphiql').set(asBrowser).expect(200);
    const [, data] = /<script id="data" type="application\/json">([^]*?)<\/script>/.exec(text)!;
    type Tab = { query: string; variables?: string; headers: string };
    const all = (JSON.parse(data!) as { tabs: Tab[] }).tabs;
    const tabs = all.filter(({ query }) => !query.includes('subscription Live'));
    expect([all.length, tabs.length]).toEqual([8, 7]);
    for (const round of [1, 2]) {
      const found = [];
      for (const { query, variables = '{}', headers } of tabs) {
        const call = service.http.post('/graphql').set(JSON.parse(headers) as Record<string, string>);
        const { body } = await call.send({ query, variables: JSON.parse(variables) as object });
        found.push(JSON.stringify(body));
      }
      const expected = [
        /"name":"Hearth & Loom".*"totalCount":20/,
        /"regid":"[^"]+","sessionid":"/,
        /"isGuest":true.*"isInList":true/,
        /"lname":"Living room".*"dt":"Reading lamp"/,
        /"cnt":4.*"dt":"Stoneware mug"/,
        /"confirmed":false.*"dt":"Pour-over kettle"/,
        /"dt":"Reading lamp".*"amount":"89.00"/,
      ];
      expect([round, found]).toEqual([round, expected.map((one) => expect.stringMatching(one))]);
    }
  });

  test("GraphiQL's document is small and its files are kept for ever", async () => {
    const { text } = await service.http.get('/graphiql').set(asBrowser).expect(200);
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('<meta name="viewport" content="width=device-width');
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(2);
    for (const file of files)
      await service.http
        .get(file)
        .expect(200)
        .expect('cache-control', /immutable/);
  });

  test('a call without a shopper is told which headers to set', async () => {
    const { pid } = service.demo!;
    const messageFor = async (headers: Record<string, string>): Promise<string> => {
      const { body } = await service.graphql('{ shopper { regid } }', {}, { headers });
      return body.errors[0].message as string;
    };
    expect(await messageFor({})).toContain('x-pid');
    expect(await messageFor({ 'x-pid': pid })).toMatch(/generateRegid.*x-regid and x-sessionid/);
    expect(await messageFor({ 'x-pid': pid, 'x-regid': secrets[2]! })).toMatch(
      /returned with the regid.*x-sessionid/,
    );
  });
});
