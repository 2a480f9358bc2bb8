// What a module may be named in an import. Extensions are optional so that a rule cannot be dodged by leaving one out.
const suffix = (name) => `\\.${name}(\\.[cm]?[jt]s)?$`;
const folder = (...names) => `^\\.{1,2}/(.*/)?(${names.join('|')})/`;

const EXPRESS = { regex: '^(express|body-parser)($|/)', message: 'HTTP belongs to src/api.' };
const GRAPHQL = {
  regex: '^(graphql|graphql-jit|@apollo|@graphql-tools)($|/)',
  message: 'GraphQL belongs to src/api; use the generated types.',
};
const DATABASE = {
  regex: '^(@prisma|pg)($|/)|/generated/prisma(/|$)',
  message: 'Prisma and SQL belong to *.repo.ts.',
};
const SERVICE = { regex: suffix('service'), message: 'This layer does not call services.' };
const RESOLVERS = { regex: suffix('resolvers'), message: 'Only src/api gathers resolvers.' };
const REPO = { regex: suffix('repo'), message: 'Repos are called by services.' };
const CHANNEL_OUTSIDE = {
  regex: `${folder('api', 'lists', 'shoppers', 'stores', 'database', 'generated')}|^\\.\\./(events|subscriptions|topics|queue|compose|dispatch)/`,
  message: 'A channel knows nothing of who uses it.',
};
const API = { regex: folder('api'), message: 'The domain does not know how it is reached.' };

/** One arrow of the layout: `files` never import what `patterns` name. The last block that fits a file wins whole. */
const forbid = (files, ...patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

/** The same for a folder that imports little from elsewhere: oxlint's own rule knows no `(?!…)` and lets everything pass with one. */
const enclose = (files, regex, message) => ({
  files,
  rules: { 'wishgate/no-import': ['error', { regex, message }] },
});

/** What the dashboard knows of the server, below src. */
const DASHBOARD_TABLES = [
  'generated/dashboard',
  'platform/fields',
  'platform/pseudo',
  'platform/text',
  'stores/store\\.columns',
  'stores/setting\\.types',
  'alerts/topics/topic\\.columns',
];

const arrows = [
  forbid(['src/{lists,alerts,shoppers,stores}/**/*.ts'], API),
  // A row names the function that streams its reply.
  forbid(['src/**/*.routes.ts'], API, { ...SERVICE, allowImportNamePattern: '^stream' }, REPO, RESOLVERS),
  forbid(['src/**/*.resolvers.ts'], API, { ...REPO, allowTypeImports: true }),
  forbid(['src/**/*.service.ts'], API, EXPRESS, GRAPHQL, DATABASE),
  forbid(['src/**/*.repo.ts'], API, SERVICE, RESOLVERS, EXPRESS, GRAPHQL),
  forbid(
    ['src/**/*.rules.ts'],
    API,
    { ...REPO, allowTypeImports: true },
    SERVICE,
    EXPRESS,
    GRAPHQL,
    DATABASE,
  ),
  forbid(['src/{api,alerts/dispatch,web/demo-store,cli}/**/*.ts'], { ...REPO, allowTypeImports: true }),
  forbid(['src/{api,web/demo-store}/*.service.ts'], EXPRESS, DATABASE),
  forbid(['src/alerts/send/**/*.ts'], CHANNEL_OUTSIDE),
  forbid(['src/platform/*.ts'], {
    regex: folder('api', 'lists', 'alerts', 'shoppers', 'stores', 'database'),
    message: 'src/platform is below every other folder.',
  }),
  ...[1, 2].map((depth) =>
    enclose(
      [`src/web/dashboard/${'*/'.repeat(depth - 1)}*.{ts,tsx}`],
      `^(\\.\\./){${depth}}(?!\\.\\./(${DASHBOARD_TABLES.join('|')})\\.ts$|\\.\\./messages/dashboard/)|^(?!\\.|preact($|/)|intl-messageformat$)`,
      'The dashboard reads /graphql only: it shares nothing with the server but messages and the tables that its forms are drawn from.',
    ),
  ),
  ...[1, 2].map((depth) =>
    enclose(
      [`packages/client/src/${'*/'.repeat(depth - 1)}*.ts`],
      `^(\\.\\./){${depth}}(?!\\.\\./\\.\\./src/(generated/client-records|sdk/documents)\\.ts$)|^[^.]`,
      'The browser library imports nothing from outside packages/client but its generated record types and its GraphQL documents.',
    ),
  ),
  enclose(
    ['packages/elements/src/*.ts'],
    '^\\.\\./(?!\\.\\./(client/src/|\\.\\./src/(messages/shopper/|sdk/documents\\.ts$)))|^[^.]',
    'The elements import nothing but the browser library, its documents and the texts for shoppers.',
  ),
  enclose(
    ['packages/react/src/*.ts'],
    '^\\.\\./(?!\\.\\./\\.\\./src/sdk/documents\\.ts$)|^(?!\\.|react$|@wishgate/client$)',
    'The hooks import nothing but React, @wishgate/client and the GraphQL documents.',
  ),
  enclose(
    ['src/sdk/compat/*.ts'],
    '^\\.\\./(?!\\.\\./\\.\\./packages/client/src/)|^[^.]',
    'The compatibility script imports nothing but the browser library.',
  ),
];

const ENVIRONMENT = {
  object: 'process',
  property: 'env',
  message: 'src/config.ts is the only reader of the environment.',
};

// Prisma joins calls of findUnique that are made in one moment, and the first one's connection answers all of them: a reader outside of a
// transaction would see inside, or the other way round (test/domain/transaction.prisma.test.ts).
const FIND_UNIQUE = ['findUnique', 'findUniqueOrThrow'].map((property) => ({
  property,
  message: 'Use findFirst: findUnique may read on the connection of another transaction.',
}));

const SQL = ['db', 'tx', 'own'].map((object) => ({
  object,
  property: 'query',
  message: 'SQL belongs to *.repo.ts.',
}));

/** `files` read none of these properties. The last block that fits a file wins whole. */
const withhold = (files, ...properties) => ({
  files,
  rules: { 'no-restricted-properties': properties.length === 0 ? 'off' : ['error', ...properties] },
});

const properties = [
  withhold(['{src,packages}/**/*.ts'], ENVIRONMENT, ...FIND_UNIQUE, ...SQL),
  withhold(
    ['src/**/*.repo.ts', 'src/platform/database/**/*.ts', 'packages/**/*.ts', 'src/web/dashboard/**/*.ts'],
    ENVIRONMENT,
    ...FIND_UNIQUE,
  ),
  withhold(['src/config.ts'], ...FIND_UNIQUE, ...SQL),
];

const errors = (...names) => Object.fromEntries(names.map((name) => [name, 'error']));
const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

/** ESLint's own recommendations that the type checker does not make needless. */
const RECOMMENDED = errors(
  'for-direction',
  'no-array-constructor',
  'no-async-promise-executor',
  'no-case-declarations',
  'no-compare-neg-zero',
  'no-cond-assign',
  'no-constant-binary-expression',
  'no-constant-condition',
  'no-control-regex',
  'no-debugger',
  'no-delete-var',
  'no-dupe-else-if',
  'no-duplicate-case',
  'no-empty',
  'no-empty-character-class',
  'no-empty-pattern',
  'no-empty-static-block',
  'no-ex-assign',
  'no-extra-boolean-cast',
  'no-fallthrough',
  'no-global-assign',
  'no-invalid-regexp',
  'no-irregular-whitespace',
  'no-loss-of-precision',
  'no-misleading-character-class',
  'no-nonoctal-decimal-escape',
  'no-prototype-builtins',
  'no-regex-spaces',
  'no-self-assign',
  'no-shadow-restricted-names',
  'no-sparse-arrays',
  'no-unassigned-vars',
  'no-unexpected-multiline',
  'no-unsafe-finally',
  'no-unsafe-optional-chaining',
  'no-unused-expressions',
  'no-unused-labels',
  'no-unused-private-class-members',
  'no-unused-vars',
  'no-useless-assignment',
  'no-useless-backreference',
  'no-useless-catch',
  'no-useless-escape',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'preserve-caught-error',
  'require-yield',
  'use-isnan',
  'valid-typeof',
);

/** The same for files that no type checker reads. */
const UNTYPED = errors(
  'constructor-super',
  'getter-return',
  'no-class-assign',
  'no-const-assign',
  'no-dupe-class-members',
  'no-dupe-keys',
  'no-func-assign',
  'no-import-assign',
  'no-new-native-nonconstructor',
  'no-obj-calls',
  'no-redeclare',
  'no-setter-return',
  'no-this-before-super',
  'no-undef',
  'no-unreachable',
  'no-unsafe-negation',
  'no-with',
);

const TYPESCRIPT = errors(
  'typescript/ban-ts-comment',
  'typescript/consistent-type-imports',
  'typescript/no-duplicate-enum-values',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extra-non-null-assertion',
  'typescript/no-misused-new',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-optional-chain',
  'typescript/no-require-imports',
  'typescript/no-this-alias',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unsafe-declaration-merging',
  'typescript/no-unsafe-function-type',
  'typescript/no-wrapper-object-types',
  'typescript/prefer-as-const',
  'typescript/prefer-namespace-keyword',
  'typescript/triple-slash-reference',
);

/** These ask the type checker. */
const TYPED = errors(
  'typescript/await-thenable',
  'typescript/no-array-delete',
  'typescript/no-base-to-string',
  'typescript/no-duplicate-type-constituents',
  'typescript/no-floating-promises',
  'typescript/no-for-in-array',
  'typescript/no-implied-eval',
  'typescript/no-redundant-type-constituents',
  'typescript/no-unnecessary-type-assertion',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-enum-comparison',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
  'typescript/no-unsafe-unary-minus',
  'typescript/only-throw-error',
  'typescript/prefer-promise-reject-errors',
  'typescript/restrict-plus-operands',
  'typescript/unbound-method',
);

const NO_DEFAULT_EXPORT = {
  restrictDefaultExports: {
    direct: true,
    named: true,
    defaultFrom: true,
    namedFrom: true,
    namespaceFrom: true,
  },
};

export default {
  plugins: ['typescript'],
  jsPlugins: ['./tools/lint-rules.mjs'],
  categories: { correctness: 'off' },
  options: { reportUnusedDisableDirectives: 'error', denyWarnings: true },
  ignorePatterns: [
    ...['dist/', 'bench/.data/', 'src/generated/', 'coverage/', 'data/', 'node_modules/'],
    // Use modules that only their tests generate or install; these compile them.
    ...['test/system/docs/storefronts/', 'examples/html/', 'examples/react-router/'],
  ],
  rules: RECOMMENDED,
  overrides: [
    {
      files: ['**/*.{ts,tsx,mts}'],
      rules: {
        ...TYPESCRIPT,
        ...TYPED,
        'typescript/consistent-type-definitions': ['error', 'type'],
        'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
        // Express 5 awaits its handlers, so an async function is a fine argument.
        'typescript/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        'no-restricted-exports': ['error', NO_DEFAULT_EXPORT],
        'wishgate/no-class': 'error',
        eqeqeq: ['error', 'always', { null: 'ignore' }],
      },
    },
    {
      // Browsers take custom elements as classes only.
      files: ['packages/elements/src/*.ts'],
      rules: { 'wishgate/no-class': ['error', { allow: '^(Base|WishgateElement|Items)$' }] },
    },
    { files: ['*.config.ts'], rules: { 'no-restricted-exports': 'off' } },
    {
      files: ['{src,packages}/**/*.{ts,tsx}'],
      rules: { 'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }] },
    },
    ...properties,
    ...arrows,
    {
      // Bodies of HTTP answers are untyped in tests; the assertions are what checks them.
      files: ['{test,bench}/**/*.ts'],
      rules: {
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/unbound-method': 'off',
      },
    },
    {
      files: ['test/system/browser/**/*.ts'],
      excludeFiles: ['test/system/browser/{act,chromium}.ts'],
      rules: { 'wishgate/only-outcomes': 'error' },
    },
    {
      // fast-check would draw from the clock; test/chance.ts gives it the seed of the run.
      files: ['test/**/*.ts'],
      excludeFiles: ['test/chance.ts'],
      rules: { 'no-restricted-imports': ['error', { paths: ['fast-check'] }] },
    },
    {
      files: ['**/*.{js,mjs,cjs}'],
      env: { builtin: true },
      globals: readonly(
        'process',
        'console',
        'URL',
        'Buffer',
        'WebAssembly',
        'setTimeout',
        'clearTimeout',
        'fetch',
        'performance',
      ),
      rules: UNTYPED,
    },
    {
      files: ['**/*.cjs'],
      globals: { ...readonly('require', '__dirname', '__filename'), module: 'writable', exports: 'writable' },
    },
  ],
};
