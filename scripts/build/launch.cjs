// The build copies this file next to the scripts that it runs: main.cjs or library.cjs, and others when they are needed.
// Each is run with its V8 code cache if there is one for this version of V8 (see scripts/build/build.mjs).
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const folder = __dirname;
const prefix = '(function(exports, require, module, $mport, __bundleUrl){';
const scripts = new Map();

/** Loads built-in modules without the ES module loader, whose start is slow. */
async function load(specifier) {
  if (/^(?:node|\w+\.cjs):/.test(specifier)) return requireModule(specifier);
  return import(specifier.startsWith('.') ? pathToFileURL(pathOf(specifier)).href : specifier);
}

/** Loads a module of a script, which is run at its first use, or anything else as `require` does. */
function requireModule(specifier) {
  const [, name, path] = /^(\w+\.cjs):(.*)/.exec(specifier) ?? [];
  return name === undefined ? require(specifier) : (scripts.get(name) ?? run(name)).exports.modules[path]();
}

/** Built-in modules that most commands import and do not use. Each takes up to 4 ms, and is loaded at its first use. */
const rarelyUsed = 'child_process crypto fs/promises http net os stream/consumers timers/promises'
  .split(' ')
  .map((name) => `node:${name}`);

function requireAtUse(specifier) {
  if (!rarelyUsed.includes(specifier)) return requireModule(specifier);
  return new Proxy(
    {},
    {
      get: (_, name) => require(specifier)[name],
      ownKeys: () => Reflect.ownKeys(require(specifier)),
      getOwnPropertyDescriptor: (_, name) => ({
        ...Reflect.getOwnPropertyDescriptor(require(specifier), name),
        configurable: true,
      }),
    },
  );
}

function run(name) {
  const filename = pathOf(name);
  // The build leaves only ASCII characters, which are read fastest as latin1.
  const script = new Script(`${prefix}${readFileSync(filename, 'latin1')}\n})`, {
    filename,
    cachedData: cachedCode(name),
  });
  const module = { exports: {} };
  script.runInThisContext()(
    module.exports,
    name === 'daemon.cjs' ? requireModule : requireAtUse,
    module,
    load,
    pathToFileURL(filename).href,
  );
  scripts.set(name, { script, exports: module.exports });
  return scripts.get(name);
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
  if (argv.includes('--debug')) require('./mapped-stacks.cjs').mapStacks(folder, prefix.length);
  return requireModule('main.cjs:src/cli/main.js').main(argv);
}

/** The exports of the library, which changes nothing of the process that loads it. */
function library() {
  return requireModule('library.cjs:src/library/index.js');
}

module.exports = { main, library, load, createCaches };
