// The only schema builder, for the service and for code generation alike. graphql-tools' loaders take any type called
// `Subscription` for the subscription root even when the roots are named explicitly; here it is a domain type, so the
// files are joined as they are and the `schema { … }` block in base.graphql decides.
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { buildASTSchema, concatAST, parse } = require('graphql');

/** The joined SDL of every .graphql file in this folder, in name order. */
function loadTypeDefs() {
  const files = readdirSync(__dirname)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  return concatAST(files.map((name) => parse(readFileSync(join(__dirname, name), 'utf8'))));
}

/** The schema without resolvers. */
function loadSchema() {
  return buildASTSchema(loadTypeDefs());
}

module.exports = loadSchema;
module.exports.loadSchema = loadSchema;
module.exports.loadTypeDefs = loadTypeDefs;
