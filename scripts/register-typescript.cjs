// Lets Node run the TypeScript sources without a build, compiled as in the tests: `node -r ./scripts/register-typescript.cjs
// x.ts`. Benches use it, and so do tests that need a separate process. These are many, so it keeps compiled files, under a
// digest of everything that they depend on.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { projects } = require('../jest.config.js');

const [, options] = projects[0].transform['^.+\\.ts$'];
const kept = join(__dirname, '../node_modules/.cache/typescript');
const settings = JSON.stringify([options, require('@swc/core/package.json').version]);

function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const name = createHash('sha1').update(`${settings}\0${filename}\0${source}`).digest('hex');
  const path = join(kept, `${name}.js`);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const { transformSync } = require('@swc/core'); // Loaded only where something is new.
    const { code } = transformSync(source, { ...options, filename, swcrc: false });
    // Renamed into place: another process may read it at the same moment.
    const aside = `${path}.${process.pid}`;
    mkdirSync(kept, { recursive: true });
    writeFileSync(aside, code);
    renameSync(aside, path);
    return code;
  }
}

Module._extensions['.ts'] = (module, filename) => module._compile(compiled(filename), filename);

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, library] = /^@app\/(mapper|behaviour|client|simulators)$/.exec(request) ?? [];
  const folder = library === 'simulators' ? 'tools' : 'libs';
  const target = library === undefined ? request : join(__dirname, '..', folder, library, 'src');
  return resolve.call(this, target, ...rest);
};

// Later releases of Node keep what they compiled, and can read the source maps of our own code alone. Node 20 has neither, and
// to read those of all packages takes a quarter of a start.
Module.enableCompileCache?.(join(kept, '../compiled'));
Module.setSourceMapsSupport?.(true, { nodeModules: false });
