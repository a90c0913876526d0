const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { installCommonGlobals } = require('jest-util');

/** What Jest leaves on the global object for one file, apart from its state, whose symbol has no key. */
const OF_ONE_FILE = new Set([
  'EVENT_HANDLERS',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
]);

/** The environment of this process, from its first test file on. */
let kept;

/**
 * The globals of test files: one global object for all files that a worker runs, so that they can share their modules (see
 * runtime.cjs). Unlike in Jest's own environment it is a plain one. There each use of a global name, `Map` or `Promise`, calls
 * a proxy.
 *
 * A file that changes what others share, such as the list of platforms, says `@jest-environment node` in its first comment.
 */
module.exports = class SharedEnvironment {
  constructor({ projectConfig }) {
    if (kept !== undefined) return kept;
    kept = this;
    this.global = vm.createContext(vm.constants.DONT_CONTEXTIFY);
    giveGlobalsOfNode(this.global);
    installCommonGlobals(this.global, projectConfig.globals);
    this.global.Error.stackTraceLimit = 100;
    this.exit = this.global.process.exit;
    this.moduleMocker = new ModuleMocker(this.global);
    this.fakeTimers = new LegacyFakeTimers({
      config: projectConfig,
      global: this.global,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => id, refToId: (timer) => timer },
    });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: this.global });
  }

  async setup() {}

  /** After each file. Jest itself has restored what the file spied on. */
  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    this.global.process.exit = this.exit;
    for (const symbol of Object.getOwnPropertySymbols(this.global)) {
      const key = Symbol.keyFor(symbol);
      if (key === undefined ? symbol.description === 'JEST_STATE_SYMBOL' : OF_ONE_FILE.has(key)) {
        delete this.global[symbol];
      }
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return this.global;
  }
};

/** What a new global object lacks: all that is Node's and not the language's. Binary data is passed to Node, so it is Node's too. */
function giveGlobalsOfNode(global) {
  const missing = Object.getOwnPropertyNames(globalThis).filter((name) => !Object.hasOwn(global, name));
  for (const name of missing) {
    const { enumerable, value, get } = Object.getOwnPropertyDescriptor(globalThis, name);
    const hold = (held) =>
      Object.defineProperty(global, name, { configurable: true, enumerable, writable: true, value: held });
    if (get === undefined) hold(value);
    // Node makes some on first use only.
    else
      Object.defineProperty(global, name, {
        configurable: true,
        enumerable,
        get: () => globalThis[name],
        set: hold,
      });
  }
  Object.assign(global, { global, Buffer, ArrayBuffer, Uint8Array });
}
