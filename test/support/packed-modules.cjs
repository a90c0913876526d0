// Loaded behind register-typescript.cjs by services that a test starts again and again: most of a start is to find, read and
// compile three thousand modules. The first service keeps in the file PACKED_MODULES which there are, the second one compiles
// them as one script and keeps what V8 made of it, each when it emits 'packable'. Those after it read that one file. It is for
// one run of tests: nothing looks whether a module has changed since.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { deserialize, serialize } = require('node:v8');
const { constants, Script } = require('node:vm');
const { projects } = require('../../jest.config.js');

const file = process.env['PACKED_MODULES'];
if (file === undefined) throw new Error('PACKED_MODULES names no file');

function keep(pack) {
  // Renamed into place: another process may read it at the same moment.
  writeFileSync(`${file}.${process.pid}`, serialize(pack));
  renameSync(`${file}.${process.pid}`, file);
}

function patch(filenames, foundNow, loaders) {
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, isMain, options) {
    if (parent?.filename == null || options !== undefined) {
      return resolve.call(this, request, parent, isMain, options);
    }
    const name = `${dirname(parent.filename)}\0${request}`;
    const filename = filenames.get(name) ?? resolve.call(this, request, parent, isMain);
    foundNow?.set(name, filename);
    return filename;
  };
  const usual = { '.mjs': Module._extensions['.js'], ...Module._extensions };
  for (const extension of ['.js', '.mjs', '.ts']) {
    Module._extensions[extension] = (module, filename) => {
      if (!loaders(module, filename, extension)) usual[extension](module, filename);
      // What an ES module gives to `require`, if it says so.
      if ('module.exports' in Object(module.exports)) module.exports = module.exports['module.exports'];
    };
  }
}

function find() {
  const [untouched] = projects[0].transformIgnorePatterns.map((pattern) => new RegExp(pattern));
  const [, options] = projects[0].transform['^.+\\.m?js$'];
  const filenames = new Map();
  const codes = new Map();
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (code, filename, ...rest) {
    codes.set(filename, code);
    return compile.call(this, code, filename, ...rest);
  };
  patch(new Map(), filenames, (module, filename, extension) => {
    // ES modules become CommonJS as in the tests: only that can be one script with the others.
    if (extension === '.ts' || (extension === '.js' && untouched.test(filename))) return false;
    const { transformSync } = require('@swc/core');
    const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename, swcrc: false });
    module._compile(code, filename);
    return true;
  });
  process.once('packable', () => keep({ filenames, codes }));
}

function load({ filenames, codes, compiled, text = scriptOf(codes), names = [...codes.keys()] }) {
  const script = new Script(text, {
    filename: file,
    cachedData: compiled,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const functions = script.runInThisContext();
  const byFilename = new Map(names.map((name, place) => [name, functions[place]]));
  patch(filenames, undefined, (module, filename) => {
    const run = byFilename.get(filename);
    if (run === undefined) return false;
    const require = Object.assign((id) => module.require(id), {
      resolve: (request, options) => Module._resolveFilename(request, module, false, options),
      main: process.mainModule,
      extensions: Module._extensions,
      cache: Module._cache,
    });
    run.call(module.exports, module.exports, require, module, filename, dirname(filename));
    return true;
  });
  if (compiled !== undefined) return;
  process.once('packable', () => keep({ filenames, text, names, compiled: script.createCachedData() }));
}

/** A script whose value is the list of the functions that modules are. */
function scriptOf(codes) {
  const functions = [...codes.values()].map((code) => {
    const plain = code.replace(/^#!.*/, '').replace(/^\/\/# sourceMappingURL=.*$/gm, '');
    return `function (exports, require, module, __filename, __dirname) {${plain}\n}`;
  });
  return `[${functions.join(',\n')}]`;
}

if (existsSync(file)) load(deserialize(readFileSync(file)));
else find();
