const { relative } = require('node:path');
const { begin } = require('./chance.cjs');

/** The globals of a test are those of its process: there is no VM whose `Error` is another `Error`. */
class ProcessEnvironment {
  constructor(_config, { testPath }) {
    this.file = relative(process.cwd(), testPath);
    this.global = globalThis;
    this.console = globalThis.console;
  }

  getVmContext() {
    return null;
  }

  /** The order of tests and what is random in them come from one seed. */
  handleTestEvent({ name, test }, state) {
    state.seed = Number(process.env.SEED);
    if (name !== 'test_start') return;
    const names = [this.file, test.name];
    for (let { parent } = test; parent; { parent } = parent) names.push(parent.name);
    begin(names.join(' '));
  }

  async setup() {}

  async teardown() {
    globalThis.console = this.console;
  }
}

module.exports = { default: ProcessEnvironment, __esModule: true };
