// The build copies this file next to the scripts that it runs: venc.cjs or library.cjs, and daemon.cjs when it is needed. Each is
// run with its V8 code cache if there is one for this version of V8 (see scripts/build/build.mjs).
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const folder = __dirname;
const prefix = '(function(exports, require, module, $mport, __bundleUrl){';
const scripts = new Map();

/** Loads built-in modules without the ES module loader, whose start is slow. */
async function load(specifier) {
  if (specifier.startsWith('node:')) return require(specifier);
  const [, module] = /^daemon\.cjs:(.*)/.exec(specifier) ?? [];
  if (module !== undefined) return run('daemon.cjs').loaders[module]();
  return import(specifier.startsWith('.') ? pathToFileURL(pathOf(specifier)).href : specifier);
}

/** Runs a script at its first use, and returns its exports. */
function run(name) {
  const known = scripts.get(name);
  if (known !== undefined) return known.exports;
  const filename = pathOf(name);
  // The build leaves only ASCII characters, which are read fastest as latin1.
  const script = new Script(`${prefix}${readFileSync(filename, 'latin1')}\n})`, {
    filename,
    cachedData: cachedCode(name),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, load, pathToFileURL(filename).href);
  scripts.set(name, { script, exports: module.exports });
  return module.exports;
}

function cachedCode(name) {
  try {
    return readFileSync(pathOf(cacheOf(name)));
  } catch {
    return undefined;
  }
}

function cacheOf(name) {
  return `${name}.${process.versions.v8}-${process.arch}.cache`;
}

function pathOf(name) {
  return join(folder, name);
}

/** For the build, after the program has run: the names and contents of the code caches. */
function createCaches() {
  return [...scripts].map(([name, { script }]) => [cacheOf(name), script.createCachedData()]);
}

/** The entry point of the command line. */
function main(argv) {
  // Reading source maps is slow.
  if (argv.includes('--debug'))
    require('./mapped-stacks.cjs').mapStacks(['venc.cjs', 'daemon.cjs'].map(pathOf), prefix.length);
  return run('venc.cjs').main(argv);
}

/** The exports of the library, which changes nothing of the process that loads it. */
function library() {
  return run('library.cjs');
}

module.exports = { main, library, load, createCaches };
