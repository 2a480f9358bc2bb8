#!/usr/bin/env node
// Prints as JSON what the repos ask the database for: `texts`, every statement in SQL by file and declaration, and `typed`, every call of Prisma with its model
// and whether its condition names the store. `statements.mjs` finds which there are, this what they say. For the texts the repos are bundled, each with a
// line at its end that hands out what it gives to `query`.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { ROOT, filesUnder } from './generate.mjs';

const isRepo = (path) => path.endsWith('.repo.ts') || path.includes('/src/alerts/queue/');
const parse = (path) =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
const sources = new Map(filesUnder(['src'], (path) => path.endsWith('.ts')).map((path) => [path, null]));
const sourceOf = (path) => {
  if (sources.get(path) === null) sources.set(path, parse(path));
  return sources.get(path);
};
const repos = [...sources.keys()].filter(isRepo);

/** What a variable may be that a text depends on, as code of the file that has it. */
const CHOICES = {
  column: `['empi', 'inventory_item']`,
  keeping: '[[], [1]]',
  look: 'Object.keys(FOUND)',
  name: 'Object.keys(SECTIONS)',
  pass: 'Object.keys(QUEUE)',
  says: 'Object.keys(SAVE_REPLY)',
  scope: 'Object.keys(WHERE)',
  sort: 'Object.keys(RANKS)',
  statement: `['added', 'price', 'title'].flatMap((sort) => ['asc', 'desc'].flatMap((order) =>
    [null, ...Object.keys(FILTERS)].map((filter) => pageStatement({ sort, order, filter }))))`,
  text: `[conditionOf({ pid: 'p' }, { topic: 't' }).text]`,
  words: `[null, 'words']`,
};

/** The names that code refers to; what a property is called is none. */
function namesIn(node, names = new Set()) {
  if (ts.isIdentifier(node) && node.parent.name !== node) names.add(node.text);
  ts.forEachChild(node, (child) => void namesIn(child, names));
  return names;
}

/** What a top-level statement or one of a block declares under a name. */
function declaredBy(node, name) {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.find((one) => one.name.getText() === name);
  return node.name?.text === name ? node : undefined;
}

/** Where a name comes from: a parameter, a declaration around its use, or one of the file that it is imported from. */
function declarationOf(node, name) {
  for (let around = node.parent; around; around = around.parent) {
    const parameter = around.parameters?.find((one) => namesIn(one.name).has(name) || one.name.text === name);
    const found = parameter ?? around.statements?.map((one) => declaredBy(one, name)).find(Boolean);
    if (found) return found;
  }
  const file = node.getSourceFile();
  const link = file.statements.find(
    (one) =>
      ts.isImportDeclaration(one) && new RegExp(`\\b${name}\\b`).test(one.importClause?.getText() ?? ''),
  );
  const source = link && sourceOf(join(dirname(file.fileName), link.moduleSpecifier.text));
  return source?.statements.map((one) => declaredBy(one, name)).find(Boolean);
}

const NAMES_STORE = /(^|_)pid(_|$)/;

/** Whether a type surely has the store's id. */
function typeHasStore(type) {
  if (!type) return false;
  if (ts.isIntersectionTypeNode(type)) return type.types.some(typeHasStore);
  if (ts.isUnionTypeNode(type)) return type.types.every(typeHasStore);
  if (ts.isTypeLiteralNode(type))
    return type.members.some((one) => one.name?.text === 'pid' && !one.questionToken);
  if (!ts.isTypeReferenceNode(type)) return false;
  const [name, [of, keys] = []] = [type.typeName.getText(), type.typeArguments];
  if (name === 'Pick') return /'pid'/.test(keys.getText());
  if (name === 'Exclude' || name === 'Readonly' || name === 'Omit') return typeHasStore(of);
  return typeHasStore(declarationOf(type, name)?.type);
}

const returnsOf = (node) => {
  if (!ts.isBlock(node)) return [node];
  const found = [];
  const visit = (child) => {
    if (ts.isReturnStatement(child)) found.push(child.expression);
    else if (!ts.isFunctionLike(child)) ts.forEachChild(child, visit);
  };
  visit(node);
  return found;
};

/** Whether a condition of Prisma's surely names the store. */
function hasStore(node) {
  if (!node) return false;
  if (ts.isObjectLiteralExpression(node))
    return node.properties.some((one) => {
      if (ts.isSpreadAssignment(one)) return hasStore(one.expression);
      return NAMES_STORE.test(one.name.text) || (one.name.text === 'AND' && hasStore(one.initializer));
    });
  if (ts.isArrayLiteralExpression(node)) return node.elements.some(hasStore);
  if (ts.isConditionalExpression(node)) return hasStore(node.whenTrue) && hasStore(node.whenFalse);
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
    return hasStore(node.expression);
  if (ts.isCallExpression(node)) {
    const made = declarationOf(node, node.expression.getText());
    const body = (made?.initializer ?? made)?.body;
    return body !== undefined && returnsOf(body).every(hasStore);
  }
  if (!ts.isIdentifier(node)) return false;
  const declared = declarationOf(node, node.text);
  return declared?.initializer ? hasStore(declared.initializer) : typeHasStore(declared?.type);
}

/** The condition of a call: of the object that it is given, or of the one that it is given by name. */
function conditionIn(argument) {
  const given =
    argument && ts.isIdentifier(argument) ? declarationOf(argument, argument.text)?.initializer : argument;
  const where = given?.properties?.find((one) => one.name?.text === 'where');
  return where && (ts.isShorthandPropertyAssignment(where) ? where.name : where.initializer);
}

/** What a file asks for: places of statements, and calls of Prisma. */
function callsIn(path) {
  const [statements, typed] = [[], []];
  const visit = (node, top) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const [argument] = node.arguments;
      const id = `${relative(ROOT, path)} ${top.name?.text ?? top.declarationList?.declarations[0].name.getText()}`;
      if (name.text === 'query') statements.push({ id, argument });
      else if (expression.expression?.name?.text === 'prisma')
        typed.push({
          id,
          model: expression.name.text,
          // A row without a store cannot be written: the column is never null.
          hasStore: name.text.startsWith('create') || hasStore(conditionIn(argument)),
        });
    }
    ts.forEachChild(node, (child) => visit(child, top));
  };
  for (const top of sourceOf(path).statements) visit(top, top);
  return { statements, typed };
}

/** Code that hands out the texts at each place of a file where a statement is run. */
function lineFor(path) {
  const parts = callsIn(path).statements.map(({ id, argument }) => {
    const free = [...namesIn(argument)].filter((name) => name in CHOICES);
    const wrap = (inner, name) => `(${CHOICES[name]}).flatMap((${name}) => ${inner})`;
    return `[${JSON.stringify(id)}, ${free.reduce(wrap, `[${argument.getText()}]`)}]`;
  });
  return `;(globalThis as any).wishgateStatements.push(${parts.join(', ')});`;
}

const dir = join(ROOT, 'node_modules/.cache/wishgate-statements');
mkdirSync(dir, { recursive: true });
const outfile = join(dir, `${process.pid}.mjs`);
globalThis.wishgateStatements = [];
try {
  await build({
    stdin: { contents: repos.map((path) => `import ${JSON.stringify(path)};`).join('\n'), resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    treeShaking: false,
    outfile,
    logLevel: 'error',
    plugins: [
      {
        name: 'statements',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (!isRepo(path)) return undefined;
            return { contents: sourceOf(path).text + lineFor(path), loader: 'ts' };
          }),
      },
    ],
  });
  await import(outfile);
} finally {
  rmSync(outfile, { force: true });
}

const texts = {};
for (const [id, found] of globalThis.wishgateStatements)
  (texts[id] ??= []).push(...found.map((statement) => statement.text ?? statement));
console.log(JSON.stringify({ texts, typed: repos.flatMap((path) => callsIn(path).typed) }, null, 2));
