import { inLongRun } from '../tier.ts';
import { checkTypes, useCopy } from './copy.ts';

// CONTRIBUTING.md says what a new rule of a topic takes. This does that, and nothing else, to a copy of the project.

const copy = useCopy('rule');

const ROW = `  pauseDays: { kind: 'int', min: 1, max: 30, initial: 2, summary: 'value' },`;

const TEXTS = `  "rule.pauseDays.label": "Days of pause",
  "rule.pauseDays.summary": "pause of {value, plural, one {# day} other {# days}}",`;

inLongRun(
  'the steps of CONTRIBUTING give topics a rule that is stored, checked, read, a field of the dashboard and part of backups',
  async () => {
    copy.insert(
      'prisma/alert.prisma',
      /^ {2}dropPercent .*\n/gm,
      '  pauseDays Int @default(2) @map("pause_days")',
    );
    await copy.run('tools/migration-sql.mjs', '--name', 'add_topic_pause_days');
    copy.insert(
      'schema/topic.graphql',
      /^ {2}dropPercent: Int!\n/gm,
      '  "Days of pause."\n  pauseDays: Int!',
    );
    copy.insert(
      'schema/topic.graphql',
      /^ {2}dropPercent: Int\n/gm,
      '  "Days of pause, 1 to 30; 2 for a new topic."\n  pauseDays: Int',
    );
    copy.insert('src/alerts/topics/topic.columns.ts', /^export const TOPIC_RULES = \{\n/gm, ROW);
    for (const language of ['en', 'de'])
      copy.insert(`src/messages/dashboard/${language}.json`, /^\{\n/g, TEXTS);
    await copy.run('tools/generate.mjs');

    await checkTypes(copy);
    await copy.run('tools/bundle.mjs');
    await copy.run('--import', 'tsx', 'test/domain/fixtures/new-topic-rule.ts');
  },
);

inLongRun('a rule of the schema without its row in the table does not compile', async () => {
  copy.replace('src/alerts/topics/topic.columns.ts', /^ {2}pauseDays: .*\n/gm, '');
  await expect(checkTypes(copy)).rejects.toThrow(/Property 'pauseDays' is missing/);
});
