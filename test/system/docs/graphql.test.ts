import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { item, newAccount, stock } from '../../api/list-kit.ts';
import { useService } from '../../harness.ts';
import type { Caller } from '../../harness.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = join(ROOT, 'docs/graphql.md');
const LISTS_PAGE = join(ROOT, 'docs/lists.md');

/** The blocks of a page in this language. */
async function blocks(language: string, page = PAGE): Promise<string[]> {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...(await readFile(page, 'utf8')).matchAll(fence)].map(([, code]) => code!);
}

const service = useService();

/** A storefront that uses the types; a wrong one does not compile. */
const USE = `
import { ListItemsDocument, NotifyMeDocument } from './generated/wishgate.js';
import { run, type ErrorName } from './run.js';
const { list } = await run({}, ListItemsDocument, { lid: 'x' });
export const prices: (number | null)[] = list!.items.edges.map(({ node }) => node.pr);
export const words: Partial<Record<ErrorName, string>> = { 'duplicate-lname': 'There is one already' };
// @ts-expect-error A medium is one of few.
await run({}, NotifyMeDocument, { input: { medium: 'fax', mediumvalue: '1', products: [], topics: [] } });
// @ts-expect-error No such error.
export const wrong: ErrorName = 'duplicate_lname';
`;

/** Does with codegen.ts what the generator's command line does. */
const GENERATE = `
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import config from './codegen.ts';
import { writeTypes } from '${new URL('../../../tools/codegen.mjs', import.meta.url).href}';
const answer = await fetch(config.schema, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
await writeTypes(process.cwd(), buildClientSchema((await answer.json()).data), config);
`;

test('every example of docs/graphql.md and docs/lists.md runs', async () => {
  const examples = [...(await blocks('graphql')), ...(await blocks('graphql', LISTS_PAGE))];
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const store = await service.createStore();
  const me = await newAccount(service, store);
  const { lid } = await me.create('Birthday');
  await stock(service, store, '1');
  const product = { epi: 1, empi: 900, du: '/p/900' };
  const guest = await service.guest(store);
  const known: Record<string, unknown> = {
    lid,
    lname: 'Wedding',
    uuid: randomUUID(),
    regid: guest.regid,
    useremail: 'grace@example.com',
    items: [item(1)],
    epis: [1, 2],
    input: {
      medium: 'email',
      mediumvalue: 'friend@example.com',
      products: [product],
      topics: ['backinstock'],
    },
  };
  const callerOf = (query: string): Caller => {
    if (query.includes('# anybody')) return { headers: { 'x-pid': store.pid } };
    return query.includes('# store') ? { store } : { shopper: me.shopper };
  };
  for (const query of examples) {
    const wanted = [...query.matchAll(/\$(\w+):/g)].map(([, name]) => name!);
    const variables = Object.fromEntries(
      wanted.filter((name) => name in known).map((name) => [name, known[name]]),
    );
    const caller = callerOf(query);
    const { body } = await service.graphql(query, variables, caller);
    expect([query, body.errors]).toEqual([query, undefined]);
  }
});

test('the types that docs/graphql.md tells how to make compile and know every scalar', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wishgate-types-'));
  try {
    const [codegen, runner, ...more] = (await blocks('ts')).map((code) =>
      code.replaceAll('https://wishes.example', service.url),
    );
    expect(more).toEqual([]);
    const strict = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', skipLibCheck: true };
    const files = {
      'package.json': JSON.stringify({ type: 'module' }),
      'tsconfig.json': JSON.stringify({ compilerOptions: strict, include: ['src'] }),
      'codegen.ts': codegen!,
      'generate.mjs': GENERATE,
      'src/page.graphql': (await blocks('graphql')).join('\n'),
      'src/run.ts': runner!,
      'src/use.ts': USE,
    };
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, 'src'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
    await node('--import', 'tsx', 'generate.mjs');
    await node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.');
    const { body } = await service.graphql('{ __schema { types { kind name } } }');
    const scalars = body.data.__schema.types.flatMap(({ kind, name }: { kind: string; name: string }) =>
      kind === 'SCALAR' && !['String', 'Int', 'Float', 'Boolean'].includes(name) ? [name] : [],
    );
    const mapped = /scalars: \{([^}]*)\}/.exec(codegen!)![1]!.matchAll(/(\w+): '/g);
    expect([...mapped].map(([, name]) => name).sort()).toEqual(scalars.sort());
  } finally {
    await rm(folder, { recursive: true });
  }
});
