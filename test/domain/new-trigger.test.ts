import { inLongRun } from '../tier.ts';
import { checkTypes, useCopy } from './copy.ts';

// CONTRIBUTING.md says what a new trigger takes. This does that, and nothing else, to a copy of the project.

const copy = useCopy('trigger');

const SOLD_OUT = `  soldout: trigger({
    label: 'When the last one is sold',
    watches: ['stk'],
    settings: [],
    step(_topic, before, after) {
      if (unitsOf(after) > 0) return 'ends';
      return unitsOf(before) > 0 ? 'begins' : null;
    },
    endedReason: 'there is stock again',
  }),`;

inLongRun(
  'the two steps of CONTRIBUTING give topics a trigger that forms offer, that alerts, that late confirmations catch up with, and that ends',
  async () => {
    copy.insert('src/alerts/topics/triggers.ts', /^export const TRIGGERS = \{\n/gm, SOLD_OUT);
    copy.insert(
      'schema/topic.graphql',
      /^enum TopicTrigger \{\n/gm,
      '  "Stock that is sold to the last unit."\n  soldout',
    );
    await copy.run('tools/generate.mjs');

    await checkTypes(copy);
    await copy.run('--import', 'tsx', 'test/domain/fixtures/new-trigger.ts');
  },
);
