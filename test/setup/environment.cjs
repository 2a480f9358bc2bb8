/** The globals of a test are those of its process: there is no VM whose `Error` is another `Error`. */
class ProcessEnvironment {
  constructor() {
    this.global = globalThis;
    this.console = globalThis.console;
  }

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    globalThis.console = this.console;
  }
}

module.exports = { default: ProcessEnvironment, __esModule: true };
