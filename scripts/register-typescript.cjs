// Lets Node run the TypeScript sources without a build, compiled as in the tests:
// `node -r ./scripts/register-typescript.cjs x.ts`. Benches use it, and tests that need a process of their own.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');
const { projects } = require('../jest.config.js');

const [, options] = projects[0].transform['^.+\\.ts$'];

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename, swcrc: false });
  module._compile(code, filename);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, library] = /^@app\/(mapper|simulator|simulated-platforms|client)$/.exec(request) ?? [];
  const target = library === undefined ? request : join(__dirname, '../libs', library, 'src');
  return resolve.call(this, target, ...rest);
};
process.setSourceMapsEnabled(true);
