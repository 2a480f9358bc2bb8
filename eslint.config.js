import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// What a module may be named in an import. Extensions are optional so that a rule cannot be dodged by leaving one out.
const suffix = (name) => `\\.${name}(\\.[cm]?[jt]s)?$`;
const folder = (...names) => `^\\.{1,2}/(.*/)?(${names.join('|')})/`;

const EXPRESS = { regex: '^(express|body-parser)($|/)', message: 'HTTP belongs to src/transport.' };
const GRAPHQL = {
  regex: '^(graphql|graphql-jit|@apollo|@graphql-tools)($|/)',
  message: 'GraphQL belongs to src/operation; use the generated types.',
};
const DATABASE = {
  regex: '^(@prisma|pg)($|/)|/generated/prisma(/|$)',
  message: 'Prisma and SQL belong to *.repo.ts.',
};
const SERVICE = { regex: suffix('service'), message: 'This layer does not call services.' };
const RESOLVERS = { regex: suffix('resolvers'), message: 'Only src/operation gathers resolvers.' };
const REPO = { regex: suffix('repo'), message: 'Repos are called by services.' };
const CHANNEL_OUTSIDE = {
  regex: folder('domain', 'transport', 'operation', 'dispatch', 'outbox', 'database', 'generated'),
  message: 'A channel knows nothing of who uses it.',
};
const TRANSPORT = { regex: folder('transport'), message: 'The domain does not know how it is reached.' };

/** One arrow of the layout: `files` never import what `patterns` name. The last block that fits a file wins whole. */
const forbid = (files, ...patterns) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
});

const arrows = [
  forbid(['src/domain/**/*.ts'], TRANSPORT),
  forbid(['src/**/*.routes.ts'], TRANSPORT, SERVICE, REPO, RESOLVERS),
  forbid(['src/**/*.resolvers.ts'], TRANSPORT, { ...REPO, allowTypeImports: true }),
  forbid(['src/**/*.service.ts'], TRANSPORT, EXPRESS, GRAPHQL, DATABASE),
  forbid(['src/**/*.repo.ts'], TRANSPORT, SERVICE, RESOLVERS, EXPRESS, GRAPHQL),
  forbid(
    ['src/**/*.rules.ts'],
    TRANSPORT,
    { ...REPO, allowTypeImports: true },
    SERVICE,
    EXPRESS,
    GRAPHQL,
    DATABASE,
  ),
  // Also not for their types: what these show is the services' to say.
  forbid(['src/{transport,dispatch,demo,cli}/**/*.ts'], REPO),
  forbid(['src/channel/**/*.ts'], CHANNEL_OUTSIDE),
  forbid(['src/shared/**/*.ts'], {
    regex: folder('domain', 'transport', 'operation', 'database'),
    message: 'src/shared is below every other folder.',
  }),
  ...[1, 2].map((depth) =>
    forbid([`src/dashboard/${'*/'.repeat(depth - 1)}*.{ts,tsx}`], {
      regex: `^(\\.\\./){${depth}}(?!generated/dashboard\\.ts$)|^(?!\\.|preact($|/)|uplot$)`,
      message: 'The dashboard reads /graphql only: it shares no code with the server.',
    }),
  ),
  ...[1, 2].map((depth) =>
    forbid([`src/client/${'*/'.repeat(depth - 1)}*.ts`], {
      regex: `^(\\.\\./){${depth}}(?!generated/client-records\\.ts$)|^[^.]`,
      message: 'The browser library imports nothing from outside src/client but its generated record types.',
    }),
  ),
  forbid(['src/compat/*.ts'], {
    regex: '^\\.\\./(?!client/)|^[^.]',
    message: 'The compatibility script imports nothing but the browser library.',
  }),
];

const NO_CLASSES = ['ClassDeclaration', 'ClassExpression'].map((node) => ({
  selector: `${node}:not([superClass.name=/Error$/])`,
  message: 'Classes are for errors only; write functions over plain data.',
}));

// Prisma joins calls of findUnique that are made in one moment, and the first one's connection answers all of them: a reader outside of a
// transaction would see inside, or the other way round (test/domain/transaction.prisma.test.ts).
const NO_FIND_UNIQUE = {
  selector: 'CallExpression[callee.property.name=/^findUnique/]',
  message: 'Use findFirst: findUnique may read on the connection of another transaction.',
};

const NO_SQL = {
  selector: 'CallExpression[callee.property.name="query"][callee.object.name=/^(db|tx|own)$/]',
  message: 'SQL belongs to *.repo.ts.',
};

export default defineConfig(
  globalIgnores(['dist/', 'bench/.data/', 'src/generated/', 'coverage/', 'data/', 'node_modules/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Express 5 awaits its handlers, so an async function is a fine argument.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      // An async function without await still promises that it never throws synchronously.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
      'no-restricted-syntax': ['error', ...NO_CLASSES, NO_FIND_UNIQUE],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  { files: ['*.config.ts'], rules: { 'no-restricted-exports': 'off' } },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    rules: { 'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/config.ts is the only reader of the environment.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.repo.ts', 'src/database/**', 'src/client/**', 'src/dashboard/**'],
    rules: { 'no-restricted-syntax': ['error', ...NO_CLASSES, NO_FIND_UNIQUE, NO_SQL] },
  },
  ...arrows,
  {
    // Bodies of HTTP answers are untyped in tests; the assertions are what checks them.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...NO_CLASSES],
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'Buffer',
          'WebAssembly',
          'setTimeout',
          'clearTimeout',
          'fetch',
          'performance',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        exports: 'writable',
        __dirname: 'readonly',
        __filename: 'readonly',
      },
    },
  },
);
