const { default: Runtime } = require('jest-runtime');
const SharedEnvironment = require('./environment.cjs');

/** Loads and keeps what the files of this process have in common. It is never torn down. */
let shared;

/**
 * Runs one test file. Only the file itself and Jest are loaded for it; the service, the support of tests and their packages
 * are loaded once for all files of a worker: some thousand modules, which took longer than most files' tests.
 */
module.exports = class SharedModulesRuntime extends Runtime {
  constructor(config, environment, ...more) {
    super(config, environment, ...more);
    this.shares = environment instanceof SharedEnvironment;
    if (this.shares) shared ??= new Runtime(config, environment, ...more);
  }

  requireModuleOrMock(from, name) {
    return this.shares ? shared.requireModuleOrMock(from, name) : super.requireModuleOrMock(from, name);
  }

  setMock(from, name, ...more) {
    if (this.shares) throw new Error(`A file that mocks a module needs "@jest-environment node": ${name}`);
    super.setMock(from, name, ...more);
  }

  /** Of both, so that a stack names lines of the sources. */
  getSourceMaps() {
    const own = super.getSourceMaps();
    return this.shares ? (this.sourceMaps ??= new SourceMaps(own, shared.getSourceMaps())) : own;
  }
};

class SourceMaps {
  constructor(...registries) {
    this.registries = registries;
  }

  get(path) {
    return this.registries.map((maps) => maps.get(path)).find((map) => map !== undefined);
  }

  *[Symbol.iterator]() {
    for (const maps of this.registries) yield* maps;
  }
}
