import Sequencer from '@jest/test-sequencer';
import { createHash } from 'node:crypto';

/** Files that take long although they are short; on a machine that has not run them yet, they start first, so that none runs alone at the end. */
const LONG = new RegExp(
  `/(${[
    ...['isolation', 'list-model', 'wishlist-alert-model', 'kept-model', 'restock-model', 'slow-receivers'],
    ...['webhook', 'signup-mail', 'list.alias', 'start', 'embedded', 'import', 'week', 'kills', 'list-races'],
  ].join('|')})\\.test\\.ts$`,
);

/** The order of the test files: the longest first, or with --randomize a shuffled one, which SEED repeats. */
export default class extends Sequencer {
  constructor(options) {
    super(options);
    this.options = options;
  }

  sort(tests) {
    if (this.options.globalConfig.randomize) {
      const placeOf = ({ path }) => createHash('sha256').update(`${process.env.SEED} ${path}`).digest('hex');
      return [...tests].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    }
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration)) return sorted;
    return [
      ...sorted.filter(({ path }) => LONG.test(path)),
      ...sorted.filter(({ path }) => !LONG.test(path)),
    ];
  }
}
