import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema, isInterfaceType, isObjectType, isScalarType, isSpecifiedScalarType } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { useService, useStore } from '../../harness.ts';
import { blocksOf, examplesOf, filesOf } from './blocks.ts';

const PAGE = 'graphql.md';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const service = useService();
const store = useStore(service);

/** What uses the types of the page; a wrong one does not compile. */
const USE = `
import { ListItemsDocument, NotifyMeDocument } from './generated/wishgate';
import { run, type ErrorName } from './run';
const { list } = await run({}, ListItemsDocument, { lid: 'x' });
export const prices: (number | null)[] = list!.items.edges.map(({ node }) => node.pr);
export const words: Partial<Record<ErrorName, string>> = { 'duplicate-lname': 'There is one already' };
// @ts-expect-error A medium is one of few.
await run({}, NotifyMeDocument, { input: { medium: 'fax', mediumvalue: '1', products: [], topics: [] } });
// @ts-expect-error No such error.
export const wrong: ErrorName = 'duplicate_lname';
`;

/** Does what the command line of the generator does with codegen.ts, and what a bundler with Relay's plugin does. */
const BUILD = `
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildSchema } from 'graphql';
import config from './codegen.ts';
import { writeTypes } from '${new URL('../../../tools/codegen.mjs', import.meta.url).href}';
const sdl = await (await fetch(config.schema)).text();
await writeTypes(process.cwd(), buildSchema(sdl), config);
const TAG = /graphql\`\\s*(?:query|mutation|subscription|fragment) (\\w+)[^\`]*\`/g;
const relay = {
  name: 'relay',
  setup: (bundle) =>
    bundle.onLoad({ filter: /Wishlist\\.ts$/ }, async ({ path }) => {
      const imports = [];
      const text = (await readFile(path, 'utf8')).replace(TAG, (_tag, name) => {
        imports.push(\`import \${name} from './__generated__/\${name}.graphql';\`);
        return name;
      });
      return { contents: imports.join('') + text, loader: 'ts' };
    }),
};
await build({
  entryPoints: ['shop/apollo.ts', 'shop/urql.ts', 'shop/relay.ts'],
  outdir: 'out',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  plugins: [relay],
});
`;

const STRICT = {
  ...{ strict: true, noUncheckedIndexedAccess: true, noUnusedLocals: true, verbatimModuleSyntax: true },
  ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2022', skipLibCheck: true, noEmit: true },
};

let folder: string;
let schema: GraphQLSchema;
let files: Record<string, string>;
let relayConfig: string;
const node = (args: string[], cwd = folder, env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, args, { cwd, env: { ...process.env, ...env } });
const bin = (name: string): string => join(ROOT, 'node_modules', name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wishgate-clients-'));
  const sdl = (await service.http.get('/schema/storefront.graphql').expect(200)).text;
  schema = buildSchema(sdl);
  files = await filesOf(PAGE);
  relayConfig = (await blocksOf(PAGE, 'json')).find((text) => text.includes('artifactDirectory'))!;
  const pages = (await examplesOf(PAGE)).filter((query) => !query.includes('# store'));
  const { 'src/Wishlist.ts': wishlist, ...others } = files;
  const all: Record<string, string> = {
    ...others,
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions: STRICT, include: ['src', 'shop', 'relay/src'] }),
    'build.mjs': BUILD,
    'src/page.graphql': pages.join('\n'),
    'src/use.ts': USE,
    'relay/relay.config.json': relayConfig,
    'relay/storefront.graphql': sdl,
    'relay/src/Wishlist.ts': wishlist!,
    'relay/src/sha256.ts': files['src/sha256.ts']!,
  };
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'relay/src/__generated__'), { recursive: true });
  await cp(join(ROOT, 'test/system/docs/storefronts'), join(folder, 'shop'), { recursive: true });
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text.replaceAll('https://wishes.example', service.url));
  }
  await node([bin('relay-compiler/cli.js')], join(folder, 'relay'));
  await node(['--import', 'tsx', 'build.mjs']);
});
afterAll(() => rm(folder, { recursive: true }));

test('the modules of docs/graphql.md and the storefronts that use them compile strictly', async () => {
  const { stdout } = await node([bin('typescript/bin/tsc'), '-p', '.']).catch((error) => error);
  expect(stdout).toBe('');
});

test.each(['apollo', 'urql', 'relay'])(
  'a storefront with %s pages, sets hearts at once, sends hashes and follows live lists, without a warning of its cache',
  async (client) => {
    const env = { URL: service.url, PID: store.pid, KEY: store.apiKey, NODE_ENV: 'development' };
    const args = ['--conditions=development', `out/${client}.mjs`];
    const { stdout, stderr, code = 0 } = await node(args, folder, env).catch((error) => error);
    expect({ stdout, stderr, code }).toEqual({ stdout: 'done\n', stderr: '', code: 0 });
  },
);

/** The names in the first array, or the first object, that follows this text. */
function namesAfter(text: string, start: string): string[] {
  const [list] = /[[{][^\]}]*[\]}]/.exec(text.slice(text.indexOf(start) + start.length)) ?? [''];
  return [...list.matchAll(/'(\w+)'(?=[,\]\s])|\b(\w+)"?: ['"]/g)].map(([, quoted, key]) => (quoted ?? key)!);
}

test('the page names every implementation of Node, every scalar and every record without an id', () => {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const objects = types.filter((type): type is GraphQLObjectType => isObjectType(type));
  const interfaces = types.filter(isInterfaceType);
  expect(interfaces.map(({ name }) => name)).toEqual(['Node']);
  const { objects: nodes } = schema.getImplementations(interfaces[0]!);
  const apollo = files['src/apollo.ts']!;
  expect(namesAfter(apollo, 'Node: ').sort()).toEqual(nodes.map(({ name }) => name).sort());

  const scalars = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const own = scalars.map(({ name }) => name).sort();
  expect(namesAfter(files['codegen.ts']!, 'scalars: ').sort()).toEqual(['ID', ...own].sort());
  expect(namesAfter(relayConfig, 'customScalarTypes": ').sort()).toEqual(own);

  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const isEmbedded = (type: GraphQLObjectType): boolean =>
    !('id' in type.getFields()) && !roots.includes(type) && !/(Connection|Edge|PageInfo)$/.test(type.name);
  const embedded = objects.filter(isEmbedded).map(({ name }) => name);
  expect(namesAfter(files['src/urql.ts']!, 'EMBEDDED = ').sort()).toEqual(embedded.sort());
  expect(embedded).toEqual(expect.arrayContaining(namesAfter(apollo, 'EMBEDDED = ')));
});
