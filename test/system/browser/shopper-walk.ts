import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { BUILT_IN_NAMES } from '../../../src/alerts/send/channel.ts';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import type { TestService } from '../../harness.ts';

/** What a shopper reads in one language, by name: pages, with their paths, and emails as HTML, and plain texts. Data is in square brackets. */
export type Shown = Record<'documents' | 'paths' | 'texts', Record<string, string>>;

const SETTINGS = {
  name: '[Store]',
  logoUrl: 'https://shop.example/logo.svg',
  colour: '#ffd400',
  currency: 'EUR',
  allowedOrigins: ['https://shop.example'],
  postalAddress: '[Street 1]\n[City]',
  imprintUrl: 'https://shop.example/legal',
};

const product = (epi: number, dt: string, stk: number) => {
  const iu = epi === 2 ? 'https://gone.example/x.png' : '/kettle.svg';
  const shown = { dt, bt: '[Brand]', vi: '[Blue, large]', iu };
  return { epi, empi: 1, du: `/p/${epi}`, pr: 1234.5, stk, ...shown };
};

const PRODUCTS = [
  product(1, '[Kettle]', 0),
  product(2, '[Teapot]', 2),
  product(3, `[Cup ${'with a long name '.repeat(8)}]`, 0),
];

/** Signs up, confirms, receives everything, and unsubscribes in every way. */
export async function walk(service: TestService, language: string): Promise<Shown> {
  const shown: Shown = { documents: {}, paths: {}, texts: {} };
  const { config } = service.services;
  const folder = join(config.dataDir, 'outbox');
  const lang = `?lang=${language}`;

  const createStore = async (settings: object): Promise<NewStore> => {
    const store = await service.createStore({ ...SETTINGS, ...settings });
    await upsert(store, ...PRODUCTS);
    return store;
  };
  const upsert = (store: NewStore, ...products: object[]) =>
    service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  const run = async (store: NewStore, mutation: string): Promise<void> => {
    const { body } = await service.graphql(`mutation { ${mutation} }`, {}, { store });
    expect(body.errors).toBeUndefined();
  };
  const subscribe = (store: NewStore, medium: string, value: string, topic = 'backinstock', epi = 1) =>
    run(
      store,
      `subscribe(input: { medium: ${medium}, mediumvalue: "${value}", topics: ["${topic}"], language: "${language}",
         products: [{ epi: ${epi}, empi: 1, du: "/p" }] }) { confirmed }`,
    );

  const seen = new Set(await readdir(folder).catch(() => []));
  /** Notes the new message to a contact under its name, and returns its text. */
  const receive = async (name: string, to: string): Promise<string> => {
    await service.runTasks();
    for (const file of (await readdir(folder)).filter((one) => !seen.has(one))) {
      const content = await readFile(join(folder, file), 'utf8');
      const mail = file.endsWith('.eml') ? await PostalMime.parse(content) : null;
      const sms = mail ? null : (JSON.parse(content) as { to: string; text: string });
      if ((sms?.to ?? mail!.to![0]!.address) !== to) continue;
      seen.add(file);
      if (mail) {
        shown.documents[`email: ${name}`] = mail.html!;
        shown.texts[`subject of ${name}`] = mail.subject!;
      }
      shown.texts[name] = sms?.text ?? mail!.text!;
    }
    return shown.texts[name] ?? fail(`there is no ${name}`);
  };
  const fail = (problem: string): never => {
    throw new Error(problem);
  };
  const linkIn = (text: string, page: string): string =>
    new RegExp(`${config.publicUrl}(/${page}/\\S+)`).exec(text)?.[1] ??
    fail(`there is no link to ${page} in ${text}`);

  /** Opens a page, or sends a form to it, as a browser does. */
  const open = async (name: string, path: string, form?: Record<string, string>, status = 200) => {
    const request = form ? service.http.post(path).type('form').send(form) : service.http.get(path);
    const { text } = await request.set('accept', 'text/html,*/*').expect(status);
    shown.paths[name] = path;
    return (shown.documents[name] = text);
  };
  const actionIn = (html: string, end: string): string =>
    new RegExp(`action="([^"]+${end}[^"]*)"`).exec(html)![1]!.replaceAll('&amp;', '&');
  const undoIn = (html: string) => ({ undo: /name="undo" value="([^"]+)"/.exec(html)![1]! });

  const store = await createStore({ doubleOptIn: true });
  const [me, phone] = [
    `${language.toLowerCase()}@example.com`,
    `+49151123${language === 'ar-XB' ? 45678 : 45679}`,
  ];
  await subscribe(store, 'email', me);
  await subscribe(store, 'sms', phone);
  const confirm = linkIn(await receive('confirmation', me), 'confirm');
  await open('confirm', confirm);
  await open('confirmed', confirm, {});
  await open('nothing to confirm', confirm);
  const short = linkIn(await receive('confirmation by SMS', phone), 'c');
  await open('confirm by SMS', short);
  await open('confirmed by SMS', short, {});

  await upsert(store, { ...PRODUCTS[0], stk: 5 });
  const alert = await receive('alert', me);
  const smsLink = linkIn(await receive('alert by SMS', phone), 'u');
  await open('unsubscribe from SMS', smsLink);
  const link = linkIn(alert, 'unsubscribe');
  const question = await open('unsubscribe', link);
  await subscribe(store, 'email', me);
  await subscribe(store, 'email', me, 'pricedrop', 2);
  const preferences = link.replace('unsubscribe', 'preferences');
  await open('preferences', preferences);
  await open('preferences kept', preferences, { shown: 'pricedrop', keep: 'pricedrop' });
  await open('preferences changed', preferences, { shown: 'pricedrop' });
  for (const scope of ['product', 'topic', 'all']) {
    const done = await open(`unsubscribed from ${scope}`, link, { scope });
    if (scope === 'topic') continue;
    await open('undone', actionIn(done, '/undo'), undoIn(done));
  }
  await open('too late to undo', link.replace('?', '/undo?'), { undo: 'nothing' });
  await open('without alerts', preferences);
  await open('not tracked', actionIn(question, '/do-not-measure'), {});
  await open('unsubscribe, not tracked', link);
  await open('tracked', link.replace('?', '/measure?'), {});
  await open('wrong choice', link, { scope: 'nothing' }, 400);
  for (const page of ['confirm', 'c', 'unsubscribe', 'u', 'preferences', 'go', 'shared']) {
    await open(`broken ${page}`, `/${page}/nothing${lang}`, undefined, 404);
    await open(`cut ${page}`, `/${page}${lang}`, undefined, 404);
  }

  const owner = await newAccount(service, store, `owner-${me}`);
  const named = { regid: owner.shopper.regid, fname: '[Ada]' };
  await service.post('/storeadmin/v3/user/update', named, { store }).expect(200);
  const { lid } = await owner.create('[Wedding]', { lnote: '[List note]' });
  await open('private list', `/shared/${lid}${lang}`, undefined, 404);
  await owner.ok('lists/markPublic', { lid });
  await open('empty list', `/shared/${lid}${lang}`);
  await owner.add(lid, item(1, { note: '[blue]', qty: 2 }), item(2), item(3));
  await open('list', `/shared/${lid}${lang}`);
  for (const [name, fromname] of Object.entries({ 'emailed list': '[Bob]', 'list of nobody': '' })) {
    const toemail = `${name.replaceAll(' ', '-')}-${me}`;
    await owner.ok('lists/emailList', { lid, toemail, fromname, note: '[Look here]', language });
    await receive(name, toemail);
  }
  for (const topic of BUILT_IN_NAMES)
    for (const [medium, to] of [
      ['email', `${topic}-${me}`],
      ['sms', phone.replace('15', '16')],
    ]) {
      await run(
        store,
        `sendTestAlert(topic: "${topic}", medium: ${medium}, to: "${to}", epi: 2, language: "${language}") { id }`,
      );
      await receive(`test of ${topic} by ${medium}`, to!);
    }

  const slow = await createStore({ digestSeconds: 1 });
  const start = Date.now();
  service.setNow(new Date(start));
  for (const epi of [1, 2]) {
    await subscribe(slow, 'email', `digest-${me}`, 'pricedrop', epi);
    await subscribe(slow, 'sms', phone.replace('15', '17'), 'pricedrop', epi);
  }
  await upsert(slow, ...PRODUCTS.map((one) => ({ ...one, pr: 9.9 })));
  await service.runTasks();
  service.setNow(new Date(start + 10_000));
  await receive('digest', `digest-${me}`);
  await receive('digest by SMS', phone.replace('15', '17'));
  service.resetClock();
  return shown;
}
