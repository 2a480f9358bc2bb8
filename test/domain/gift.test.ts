import { inLongRun } from '../tier.ts';
import { checkTypes, useCopy } from './copy.ts';

// CONTRIBUTING.md says what a new text of an item takes. This does that, and nothing else, to a copy of the project.

const copy = useCopy('gift');

inLongRun(
  'the five steps of CONTRIBUTING give items a text that is stored, read, checked, cleared, copied, moved, merged, exported and counted',
  async () => {
    copy.insert('prisma/item.prisma', /^ {2}note +String\?\n/gm, '  gift String?');
    await copy.run('tools/migration-sql.mjs', '--name', 'add_item_gift');
    copy.insert('schema/item.graphql', /^ {2}note: String\n/gm, '  "How to wrap it."\n  gift: String', 2);
    copy.insert('src/lists/item.operations.graphql', /^ {2}note\n/gm, '  gift');
    copy.insert(
      'src/lists/item.columns.ts',
      /^ {2}note: \{.*\},\n/gm,
      `  gift: { sql: 'text', write: 'clearable', merge: 'newerOrOlder', check: 'text', max: 200 },`,
    );
    await copy.run('tools/generate.mjs');

    await checkTypes(copy);
    await copy.run('--import', 'tsx', 'test/domain/fixtures/gift.ts');
    expect(copy.read('src/generated/client-records.ts').match(/\bgift\??:/g)).toHaveLength(2);
  },
);
