// Copied by the build beside the bundle, which it loads with V8's code cache where the build left one for this very V8; build.mjs says why.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const folder = __dirname;
const filename = join(folder, 'venc.cjs');
const parameters = 'exports, require, module, __import';

/** Node's own modules need no loader of modules, which takes long to start. */
function load(specifier) {
  if (specifier.startsWith('node:')) return Promise.resolve(require(specifier));
  if (!specifier.startsWith('.')) return import(specifier);
  return import(require('node:url').pathToFileURL(join(folder, specifier)).href);
}

function cachedCode() {
  try {
    return readFileSync(join(folder, `v8-${process.versions.v8}-${process.arch}.cache`));
  } catch {
    return undefined;
  }
}

const script = new Script(`(function(${parameters}){${readFileSync(filename, 'utf8')}\n})`, {
  filename,
  cachedData: cachedCode(),
});
const bundle = { exports: {} };
script.runInThisContext()(bundle.exports, require, bundle, load);

/** For the build, which asks for the cache when the program has run. */
module.exports = { main: bundle.exports.main, createCache: () => script.createCachedData() };
