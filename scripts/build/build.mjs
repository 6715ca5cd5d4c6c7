/*
 * `npm run build`: tsc compiles the program and the tests into dist/, then esbuild bundles the program into
 * dist/venc/, which is shipped. Nothing is done if no source has changed since the latest build.
 *
 * Loading modules takes most of the start-up time of a command. Therefore the command line is a few files, of which a
 * command reads those that it needs (see scripts.mjs), and the code of the daemon, which also `venc run` and
 * `venc worker` need, is another, `daemon.cjs`. The commands as data, for completions, are computed here.
 * The files are CommonJS, because starting the ES module loader takes as long as reading a whole file. Each has a V8
 * code cache, which is valid only for the V8 version that created it; other versions ignore it. CPU time relative to
 * `node -e 0`, medians of 15: `venc --version` 1.08 (1.21 with one file for all commands), `--help` 1.19 (1.30), a
 * completion 1.16 (1.55). CPU time of `venc run` of a film of one second, with ffmpeg: 0.87 s with the daemon as 88
 * modules, 0.69 s as one file.
 * Names are not shortened, because that gained nothing. The screen of `venc watch` waits for a part of itself while it
 * is loaded, which only modules can do: it is in dist/venc/lazy/.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checkReferences, collectNamedFiles, destinationsOfNamedFiles } from './file-references.mjs';
import { fingerprintOf, isBuilt, recordBuild } from './fingerprint.mjs';
import { buildClient } from './rest-client.mjs';
import {
  evaluateCommandNodes,
  exportModules,
  offeredModules,
  placeModules,
  referToOtherScripts,
} from './scripts.mjs';
import { bundledPackages, licencesOf, sbomOf } from './third-party.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shipped = `${root}dist/venc`;
const { dependencies, optionalDependencies } = createRequire(import.meta.url)('../../package.json');
/**
 * These packages are not bundled; they are loaded where they are used. All others are bundled, so that an install
 * does not need them: commander, which every command uses, and ink and react, which draw the screen of `venc watch`
 * (640 ms of CPU time as packages, 115 ms in one file).
 */
const packages = Object.keys({ ...dependencies, ...optionalDependencies });

/**
 * Folders of modules that are loaded on first use. Their entry points are collected while the main bundle is built:
 * the screen of `venc watch` and the protocol of `venc mcp`, which are modules, and all others, which are in daemon.cjs.
 */
const moduleFolders = ['dist/src/tui/', 'dist/src/mcp/'];
const lazyFolders = [
  'dist/daemon/',
  ...moduleFolders,
  'dist/src/shared/xml/',
  'dist/src/shared/settings/schema/',
  'dist/src/library/work/',
];
/** Modules that are small enough for the main bundle and needed by every completion. */
const bundledModules = ['dist/daemon/admin/read-account-names.js'];
const moduleEntries = new Set();
const daemonModules = new Set();
/** Files that bundled modules reference by URL: base name to source. */
const namedFiles = new Map();

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  // For stack traces (`--debug`): names and lines of the sources, without their text.
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  external: packages,
};
// Of packages that have both, the ES modules: esbuild leaves out what is not used of them (OpenTelemetry: 137 KB instead
// of 565 KB).
const mainFields = ['module', 'main'];
const modules = {
  ...common,
  format: 'esm',
  mainFields,
  // The development build of React is slower in every frame.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  // Some of the bundled packages are CommonJS and load built-in modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/** launch.cjs passes the URL, because a CommonJS file has no import.meta. */
const script = { format: 'cjs', define: { 'import.meta.url': '__bundleUrl' } };

/** Node prints the line that threw an error which nobody catches: here it is short. */
const lineLimit = 200;

const lazyModules = { name: 'lazy-modules', setup: excludeLazyModules };

const fingerprint = fingerprintOf(root);
if (isBuilt(root, fingerprint)) process.exit();
rmSync(`${root}dist`, { recursive: true, force: true });
run(`${root}node_modules/typescript/bin/tsc`);

const page = await buildPage();
const main = await buildCommandScripts();
// The library: only what `import 'venc'` needs. Its work is in daemon.cjs.
const library = await buildScript('library', ['dist/src/library/index.js'], {
  plugins: [lazyModules],
  lineLimit,
});
writeDeclarations('src/library/declarations.ts', 'index');
writeDeclarations('src/api-types/api-types.ts', 'api-types');
const client = await buildClient(shipped, common);
writeDeclarations('src/rest-client/declarations.ts', 'rest-client');
const daemon = await buildScript('daemon', daemonModules, {
  mainFields,
  plugins: [{ name: 'no-maps-of-packages', setup: leaveOutMapsOfPackages }, collectNamedFiles(namedFiles)],
});
const lazy = await build({
  ...modules,
  entryPoints: [...moduleEntries],
  outdir: `${shipped}/lazy`,
  outbase: 'dist',
  chunkNames: 'parts/[hash]',
  splitting: true,
  plugins: [
    { name: 'no-devtools', setup: excludeDevtools },
    { name: 'no-validator', setup: excludeValidator },
    { name: 'no-maps-of-packages', setup: leaveOutMapsOfPackages },
  ],
});
const named = await Promise.all(
  destinationsOfNamedFiles(shipped, namedFiles).map(({ source, destination }) =>
    build({ ...modules, entryPoints: [source], outfile: destination }),
  ),
);
const pageFiles = page.flatMap(({ metafile }) => Object.keys(metafile.outputs));
for (const file of pageFiles) copyFileSync(root + file, `${shipped}/${basename(file)}`);
const bundled = bundledPackages(root, [...main, library, client, daemon, lazy, ...named, ...page]);
writeFileSync(`${shipped}/LICENSES`, licencesOf(root, bundled));
const sbom = sbomOf(root, bundled);
if (sbom !== null) writeFileSync(`${root}dist/sbom.cdx.json`, sbom);
for (const name of ['launch.cjs', 'mapped-stacks.cjs', 'index.cjs', 'index.mjs'])
  copyFileSync(`${root}scripts/build/${name}`, `${shipped}/${name}`);
checkReferences(shipped);
run(`${root}scripts/build/warm-code-cache.mjs`, shipped);
// Without npm the build is not complete.
if (sbom !== null) recordBuild(root, fingerprint);

/**
 * Builds what the page of the daemon loads in a browser, next to the module that serves it. The views are those that the
 * daemon draws first; in the browser, hono/jsx/dom draws them.
 */
async function buildPage() {
  const browser = {
    ...common,
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: false,
    external: [],
  };
  const outdir = 'dist/daemon/web';
  const own = await build({
    ...browser,
    entryPoints: { page: 'daemon/web/client/main.tsx' },
    outdir,
    format: 'esm',
    // What only some views need is in files of their own.
    splitting: true,
    chunkNames: 'page-[hash]',
    alias: { 'hono/jsx/jsx-runtime': 'hono/jsx/dom/jsx-runtime' },
  });
  const style = await build({ ...browser, entryPoints: { page: 'daemon/web/page.css' }, outdir });
  // As it is needed only for playlists, it is a file of its own.
  const player = await build({
    ...browser,
    stdin: { contents: "import Hls from 'hls.js/light'; globalThis.Hls = Hls;", resolveDir: root },
    outfile: `${outdir}/hls.js`,
    format: 'iife',
  });
  return [own, style, player];
}

/** Builds the scripts of the command line: first in one piece, for the graph of its modules. */
async function buildCommandScripts() {
  const entryPoint = 'dist/src/cli/main.js';
  const nodes = evaluateCommandNodes(root);
  const whole = { ...common, ...script, entryPoints: [entryPoint], outdir: shipped, write: false };
  const { inputs } = (await build({ ...whole, plugins: [lazyModules, nodes] })).metafile;
  const places = placeModules(inputs);
  return Promise.all(
    [...offeredModules(inputs, places, entryPoint)].map(([name, modules]) =>
      buildScript(name, modules, { plugins: [lazyModules, nodes, referToOtherScripts(root, places, name)] }),
    ),
  );
}

/** Builds a script that launch.cjs runs, with these modules and what they import. */
async function buildScript(name, modules, options) {
  const outfile = `${shipped}/${name}.cjs`;
  const stdin = { contents: exportModules(modules), resolveDir: root };
  const result = await build({ ...common, ...script, ...options, stdin, outfile });
  // A script with a code cache cannot call import(). launch.cjs passes its own import function, with a name of the same
  // length, so that the columns of the source map stay correct.
  const text = readFileSync(outfile, 'utf8').replaceAll(/\bimport\(/g, '$mport(');
  // esbuild leaves other characters than ASCII in regular expressions, and with any of them V8 stores the whole file with
  // two bytes for each character.
  const ascii = text.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(outfile, ascii);
  return result;
}

/**
 * Publishes a module that has only declarations, for ES modules and for CommonJS. Its imports are of modules that are
 * published in the same way.
 */
function writeDeclarations(source, name) {
  const text = readFileSync(root + source, 'utf8');
  for (const kind of ['m', 'c']) {
    const named = text.replaceAll(/from '[^']*\/([\w-]+)\.js'/g, `from './$1.${kind}js'`);
    writeFileSync(`${shipped}/${name}.d.${kind}ts`, named);
  }
}

function excludeLazyModules(bundler) {
  bundler.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
    const found = relative(root, resolve(resolveDir, path));
    if (kind !== 'dynamic-import' || bundledModules.includes(found)) return null;
    if (!lazyFolders.some((folder) => found.startsWith(folder))) return null;
    const name = relative('dist', found);
    if (moduleFolders.some((folder) => found.startsWith(folder))) {
      moduleEntries.add(found);
      return { path: `./lazy/${name}`, external: true };
    }
    daemonModules.add(found);
    return { path: `daemon.cjs:${name}`, external: true };
  });
}

/**
 * If DEV is set, ink loads the devtools of React, a package that is not installed, and reads its own package.json,
 * which is not shipped.
 */
function excludeDevtools(bundler) {
  bundler.onLoad({ filter: /ink\/build\/devtools\.js$/ }, () => ({ contents: '' }));
  bundler.onLoad({ filter: /ink\/build\/reconciler\.js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace("new URL('../package.json', import.meta.url)", "''"),
  }));
}

/** The SDK of the Model Context Protocol imports a validator of 130 KB, in place of which serve-mcp.ts passes its own. */
function excludeValidator(bundler) {
  bundler.onLoad({ filter: /\/validation\/ajv-provider\.js$/ }, () => ({
    contents: 'export class AjvJsonSchemaValidator {}',
  }));
}

/**
 * Maps the code of packages to their files, without lines: two thirds of the code is of packages, and their lines would
 * add 0.3 MB to the download.
 */
function leaveOutMapsOfPackages(bundler) {
  const map = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' })).toString('base64');
  bundler.onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
    contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${map}`,
    loader: 'js',
  }));
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
