// Reads the SDL for the service and for code generation. `Subscription` is a domain type here: the `schema { … }` block in base.graphql names
// the roots.
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Source, buildASTSchema, concatAST, parse } = require('graphql');

/** The joined SDL of every .graphql file in this folder, in name order. */
function loadTypeDefs() {
  const files = readdirSync(__dirname)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  return concatAST(files.map((name) => parse(new Source(readFileSync(join(__dirname, name), 'utf8'), name))));
}

/** The schema without resolvers. */
function loadSchema() {
  return buildASTSchema(loadTypeDefs());
}

module.exports = loadSchema;
module.exports.loadSchema = loadSchema;
module.exports.loadTypeDefs = loadTypeDefs;
