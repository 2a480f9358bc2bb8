#!/usr/bin/env node
// Runs GraphQL Code Generator on the codegen.yml of the current folder. Its own command line does the same, but brings 150 packages for things that are
// not needed here, some of which refuse Node 20.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import { lexicographicSortSchema, parse } from 'graphql';
import { parse as parseYaml } from 'yaml';
import { filesUnder } from './generate.mjs';

const require = createRequire(import.meta.url);

/** `*` in a pattern is part of a name, and `**` is any number of folders. */
function filesLike(folder, pattern) {
  const fixed = pattern.slice(0, pattern.indexOf('*'));
  const parts = { '**/': '(.*/)?', '*': '[^/]*', '.': '\\.' };
  const like = new RegExp(`^${pattern.replace(/\*\*\/|[*.]/g, (part) => parts[part])}$`);
  return filesUnder([dirname(`${fixed}_`)], (file) => like.test(relative(folder, file)), folder);
}

/** A plugin is a file of the project or a package of the generator. */
const loadPlugin = (folder, name) =>
  require(name.startsWith('.') ? resolve(folder, name) : `@graphql-codegen/${name}`);

/** Writes every file that the configuration names; what is set for one file comes before what is set for all. */
export async function writeTypes(folder, schema, { generates, ...common }) {
  for (const [filename, own] of Object.entries(generates)) {
    const { plugins, documents, config } = { ...common, ...own };
    const text = await codegen({
      filename,
      schemaAst: lexicographicSortSchema(schema),
      documents: [documents ?? []]
        .flat()
        .flatMap((pattern) => filesLike(folder, pattern))
        .map((location) => ({ location, document: parse(readFileSync(location, 'utf8')) })),
      config,
      plugins: plugins.map((name) => ({ [name]: {} })),
      pluginMap: Object.fromEntries(plugins.map((name) => [name, loadPlugin(folder, name)])),
    });
    mkdirSync(dirname(join(folder, filename)), { recursive: true });
    writeFileSync(join(folder, filename), text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.cwd();
  const config = parseYaml(readFileSync(join(folder, 'codegen.yml'), 'utf8'));
  const [{ loader }] = config.schema.flatMap(Object.values);
  await writeTypes(folder, require(resolve(folder, loader))(), config);
}
