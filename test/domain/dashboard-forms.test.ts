import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { IntlMessageFormat } from 'intl-messageformat';
import supertest from 'supertest';
import { createApp } from '../../src/app.ts';
import { useService } from '../harness.ts';
import type { StoreAccess } from '../harness.ts';

const FOLDER = join(process.cwd(), 'src/web/dashboard');

/** What a page has and Node does not. */
const DOCUMENT = `const document = { documentElement: {} }, location = { search: '?lang=de' };
const localStorage = { getItem: () => null }, navigator = { languages: [] };`;

type Errors = {
  messageOf: (error: Error) => string;
  fieldErrorOf: (error: Error) => { name: string; message: string } | null;
};

/** How the dashboard speaks of errors to a reader of German. */
async function loadGerman(): Promise<Errors> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, 'api.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    banner: { js: DOCUMENT },
    define: { DASHBOARD_LANGUAGES: '["en", "de"]' },
    plugins: [
      {
        name: 'messages',
        setup: ({ onLoad }) =>
          onLoad({ filter: /messages.dashboard.*\.json$/ }, async ({ path }) => {
            const messages = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
            const parsed = Object.entries(messages).map(([key, text]) => [
              key,
              new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst(),
            ]);
            return { contents: JSON.stringify(Object.fromEntries(parsed)), loader: 'json' };
          }),
      },
    ],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`);
}

describe('errors of the service in the dashboard', () => {
  const service = useService();
  let german: Errors;

  beforeAll(async () => void (german = await loadGerman()));

  /** The error of a call, as the dashboard reads it. */
  async function refuse(query: string, store?: StoreAccess): Promise<Error> {
    const { body } = await service.graphql(query, {}, { store: store ?? (await service.createStore()) });
    const { message, extensions } = body.errors[0];
    return Object.assign(new Error(message), { type: extensions.type });
  }

  const saveTopic = (text: string) => `saveTopic(input: { name: "backinstock", ${text} }) { name }`;

  test.each([
    [
      'updateStore(input: { defaultRegion: "Deutschland" }) { pid }',
      { name: 'defaultRegion', message: 'Geben Sie ein Land mit zwei Buchstaben ein, z. B. DE.' },
    ],
    [
      'updateStore(input: { listTypes: ["registry", "wl"] }) { pid }',
      { name: 'listTypes', message: expect.stringMatching(/^„wl“: Jeder Typ hat 1 bis 32 Buchstaben/) },
    ],
    [
      saveTopic('html: "{{ product.title | shout }}"'),
      { name: 'html', message: 'Fehler in Zeile 1: Den Filter „shout“ gibt es nicht.' },
    ],
    [
      saveTopic('subject: "{% if product.brand %}"'),
      {
        name: 'subject',
        message: 'Fehler in Zeile 1: Der Befehl „{% if product.brand %}“ ist nicht geschlossen.',
      },
    ],
  ])('the error of %s is told at its field, in German', async (mutation, error) => {
    expect(german.fieldErrorOf(await refuse(`mutation { ${mutation} }`))).toEqual(error);
  });

  test('a limit of the service is told in German, with its number', async () => {
    const store = await service.createStore();
    const create = 'mutation { createApiKey(name: "more") { id } }';
    while (!(await service.graphql(create, {}, { store })).body.errors);
    expect(german.messageOf(await refuse(create, store))).toMatch(
      /^Ein Shop kann höchstens \d+ API-Schlüssel haben. Widerrufen Sie zuerst einen.$/,
    );
  });

  test('the policy of the dashboard lets in nothing from outside but pictures of products and logos, and no inline script', async () => {
    const { services } = service;
    const config = { ...services.config, publicUrl: 'https://wishes.example' };
    const app = await createApp({ ...services, config }, { isDraining: false });
    const { headers } = await supertest(app).get('/dashboard').expect(200);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("img-src 'self' data: https:;");
    expect(policy.replace(/img-src [^;]+;/, '')).not.toMatch(/https?:|\*/);
  });
});
