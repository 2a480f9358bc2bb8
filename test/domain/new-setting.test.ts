import { inLongRun } from '../tier.ts';
import { checkTypes, useCopy } from './copy.ts';

// CONTRIBUTING.md says what a new setting of a store takes. This does that, and nothing else, to a copy of the project.

const copy = useCopy('setting');

const ROW = `  giftDays: {
    ...{ kind: 'int', min: 1, max: 90, initial: 14 },
    cli: { value: 'N', help: 'days for gifts', off: '14 days (default)' },
    form: { card: 'lists' },
  },`;

inLongRun(
  'the steps of CONTRIBUTING give stores a setting that is stored, checked, read, a flag, a field of the dashboard and part of backups',
  async () => {
    copy.insert(
      'prisma/store.prisma',
      /^ {2}restoreDays .*\n/gm,
      '  giftDays Int @default(14) @map("gift_days")',
    );
    await copy.run('tools/migration-sql.mjs', '--name', 'add_store_gift_days');
    copy.insert(
      'schema/store.graphql',
      /^ {2}restoreDays: Int\n/gm,
      '  "Days for gifts, 1 to 90."\n  giftDays: Int',
    );
    copy.insert(
      'schema/store.graphql',
      /^ {2}restoreDays: Int!\n/gm,
      '  "Days for gifts."\n  giftDays: Int!',
    );
    copy.insert('src/stores/store.columns.ts', /^export const STORE_SETTINGS = \{\n/gm, ROW);
    for (const language of ['en', 'de'])
      copy.insert(
        `src/messages/dashboard/${language}.json`,
        /^\{\n/g,
        '  "setting.giftDays.label": "Days for gifts",',
      );
    await copy.run('tools/generate.mjs');

    await checkTypes(copy);
    await copy.run('tools/bundle.mjs');
    await copy.run('--import', 'tsx', 'test/domain/fixtures/new-setting.ts');
  },
);

inLongRun('a field of the dashboard without its label does not compile', async () => {
  copy.replace('src/messages/dashboard/en.json', /^.*setting\.giftDays\.label.*\n/gm, '');
  await expect(checkTypes(copy)).rejects.toThrow(/setting\.giftDays\.label/);
});

inLongRun('a setting of the schema without its row in the table does not compile', async () => {
  copy.replace('src/stores/store.columns.ts', /^ {2}giftDays: \{\n(.*\n){3} {2}\},\n/gm, '');
  await expect(checkTypes(copy)).rejects.toThrow(/Property 'giftDays' is missing/);
});
