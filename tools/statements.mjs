#!/usr/bin/env node
// Finds what the repos ask the database for: typed calls of Prisma, and statements in SQL with the reason for each.
//   statements.mjs            prints it as JSON
//   statements.mjs --write    also puts the statements into the decision that lists them
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT, filesUnder } from './generate.mjs';

const PAGE = join(ROOT, 'docs/decisions/0020-prisma-carries-the-data.md');
const BEGIN = '<!-- statements: node tools/statements.mjs --write -->';
const isRepo = (path) => path.endsWith('.repo.ts') || path.includes('/src/alerts/queue/');

const parse = (path) =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
const sources = new Map(filesUnder(['src'], isRepo).map((path) => [path, parse(path)]));

/** What a top-level statement of a file declares. */
function namesOf(node) {
  if (ts.isFunctionDeclaration(node)) return [node.name.text];
  return ts.isVariableStatement(node)
    ? node.declarationList.declarations.map(({ name }) => name.getText())
    : [];
}

/** Where a name of a file is declared at the top level, there or in the file that it is imported from; undefined elsewhere. */
function declarationOf(source, name) {
  const here = source?.statements.find((node) => namesOf(node).includes(name));
  if (here) return here;
  const link = source?.statements.find(
    (node) =>
      ts.isImportDeclaration(node) && new RegExp(`\\b${name}\\b`).test(node.importClause?.getText() ?? ''),
  );
  return link && declarationOf(sources.get(join(dirname(source.fileName), link.moduleSpecifier.text)), name);
}

/** The name at the root of an expression such as `PARTS[name]` or `textOf(table)`. */
function rootOf(node) {
  return ts.isIdentifier(node) ? node.text : node.expression ? rootOf(node.expression) : undefined;
}

/** What the comment in front of a declaration says behind `SQL:`, up to the end of the sentence. */
function reasonOf(node) {
  const text = node.getSourceFile().text;
  const comments = ts.getLeadingCommentRanges(text, node.pos) ?? [];
  const said = comments.map(({ pos, end }) => text.slice(pos, end)).join('\n');
  return /SQL: (.+?\.)(\s|$)/.exec(said.replace(/\s*\n\s*(\*\/?|\/\/)?\s*/g, ' '))?.[1] ?? null;
}

const READ = /^(find|count|aggregate|groupBy)/;
const statements = new Map();
const models = {};
const calls = {};

function visit(node, top) {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    const file = relative(ROOT, node.getSourceFile().fileName);
    const count = (kind) => ((calls[file] ??= { typed: 0, sql: 0 })[kind] += 1);
    if (name.text === 'query') {
      count('sql');
      const root = rootOf(node.arguments[0]);
      const holder = (root && declarationOf(node.getSourceFile(), root)) ?? top;
      const id = `${relative(ROOT, holder.getSourceFile().fileName)} ${namesOf(holder)[0]}`;
      statements.set(id, reasonOf(holder));
    } else if (expression.expression?.name?.text === 'prisma') {
      count('typed');
      const model = expression.name.text[0].toUpperCase() + expression.name.text.slice(1);
      const used = (models[model] ??= { isRead: false, isWritten: false });
      used[READ.test(name.text) ? 'isRead' : 'isWritten'] = true;
    }
  }
  ts.forEachChild(node, (child) => visit(child, top));
}
for (const source of sources.values()) for (const top of source.statements) visit(top, top);

const found = [...statements].sort(([one], [other]) => (one < other ? -1 : 1));
const lines = found.map(([id, reason], index) => {
  const [file, name] = id.split(' ');
  const isFirst = index === 0 || !found[index - 1][0].startsWith(`${file} `);
  return `${isFirst ? `- \`${file}\`\n` : ''}  - \`${name}\`: ${reason}`;
});
const list = `${BEGIN}\n\n${lines.join('\n')}\n`;
const page = readFileSync(PAGE, 'utf8');
const isListed = page.endsWith(list);
if (process.argv.includes('--write')) writeFileSync(PAGE, page.slice(0, page.indexOf(BEGIN)) + list);
else console.log(JSON.stringify({ statements: Object.fromEntries(found), models, calls, isListed }, null, 2));
