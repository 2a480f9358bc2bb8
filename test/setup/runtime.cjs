/**
 * Loads test files into the process of their Jest worker, where the service's modules stay loaded from file to file. Jest's own runtime
 * loads all of them anew for every file, inside a VM: 3 to 5 s each. The rest of Jest (timeouts, order, patterns, reports) is unchanged.
 */
const hooks = require('node:async_hooks');
const { dirname, relative } = require('node:path');
const chance = require('./chance.cjs');
require('../../tools/typescript.cjs');

const CIRCUS = dirname(require.resolve('jest-circus'));

/** Where Circus keeps those who hear of every test; those of earlier files would hear of it, too. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

/** What Jest sends to a worker at the end. */
const END = 2;

/** A worker ends by itself once nothing is open in it, so what its files share is closed first. */
function onMessage([type]) {
  if (type !== END) return;
  process.off('message', onMessage);
  void globalThis.closeShared?.();
}

if (process.send) process.on('message', onMessage);

/** Loads Circus, and returns its storage as well: on Node 20 and 22 every storage that was ever used costs at every promise. */
function loadCircus(path) {
  const property = Object.getOwnPropertyDescriptor(hooks, 'AsyncLocalStorage');
  let storage;
  class Known extends hooks.AsyncLocalStorage {
    constructor() {
      super();
      storage = this;
    }
  }
  // Newer Nodes have a getter there, which an assignment would not replace.
  Object.defineProperty(hooks, 'AsyncLocalStorage', { value: Known, configurable: true });
  try {
    return { circus: require(path), storage };
  } finally {
    Object.defineProperty(hooks, 'AsyncLocalStorage', property);
  }
}

class Runtime {
  requireModule(path) {
    chance.begin(relative(process.cwd(), path));
    // With --watch a file runs again.
    delete require.cache[path];
    return require(path);
  }

  requireInternalModule(path) {
    // Circus keeps the tests of a file in its modules.
    for (const file of Object.keys(require.cache)) if (dirname(file) === CIRCUS) delete require.cache[file];
    delete globalThis[LISTENERS];
    // Jest has just put its own in place; Node's knows the source maps of what is imported.
    Error.prepareStackTrace = undefined;
    // Jest asks for 100 lines of every stack, and supertest reads one at every expectation.
    Error.stackTraceLimit = 15;
    const { circus, storage } = loadCircus(path);
    this.storage = storage;
    return circus;
  }

  unstable_shouldLoadAsEsm() {
    return false;
  }

  setGlobalsForRuntime() {}

  getSourceMaps() {
    return new Map();
  }

  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {}

  teardown() {
    this.storage.disable();
  }
}

module.exports = { default: Runtime, __esModule: true };
