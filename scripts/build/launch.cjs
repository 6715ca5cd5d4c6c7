// The build copies this file next to the bundle. It runs the bundle, with the V8 code cache if there is one for this
// version of V8 (see scripts/build/build.mjs).
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const folder = __dirname;
const filename = join(folder, 'venc.cjs');
const prefix = '(function(exports, require, module, $mport, __bundleUrl){';
// Reading source maps is slow.
if (process.argv.includes('--debug')) require('./mapped-stacks.cjs').mapStacks({ [filename]: prefix.length });

/** Loads built-in modules without the ES module loader, whose start is slow. */
function load(specifier) {
  if (specifier.startsWith('node:')) return Promise.resolve(require(specifier));
  if (!specifier.startsWith('.')) return import(specifier);
  return import(pathToFileURL(join(folder, specifier)).href);
}

function cachedCode() {
  try {
    return readFileSync(join(folder, `v8-${process.versions.v8}-${process.arch}.cache`));
  } catch {
    return undefined;
  }
}

const script = new Script(`${prefix}${readFileSync(filename, 'utf8')}\n})`, {
  filename,
  cachedData: cachedCode(),
});
const bundle = { exports: {} };
script.runInThisContext()(bundle.exports, require, bundle, load, pathToFileURL(filename).href);

/** createCache is for the build, which calls it after the program has run. */
module.exports = { main: bundle.exports.main, createCache: () => script.createCachedData() };
