/*
 * `npm run build`: tsc compiles the program and the tests into dist/, then esbuild bundles the program into
 * dist/venc/, which is shipped. Nothing is done if no source has changed since the latest build.
 *
 * Loading modules takes most of the start-up time of a command. Therefore the code that
 * every command needs is one file, `venc.cjs`, and the code that only some commands need (the daemon, the screen of
 * `venc watch`) is loaded from dist/venc/lazy/. The file is CommonJS, because starting the ES module loader takes as
 * long as reading the whole file. It has a V8 code cache, which is valid only for the V8 version that created it;
 * other versions ignore it. CPU time of `venc list --json` relative to `node -e 0`, medians of 11: modules 1.91, one
 * file 1.52, the same minified 1.51, one file with the cache 1.48. Names are not shortened, because that gained
 * nothing.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checkReferences, collectNamedFiles, destinationsOfNamedFiles } from './file-references.mjs';
import { fingerprintOf, isBuilt, recordBuild } from './fingerprint.mjs';
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
 * Folders of modules that are loaded on first use. Their entry points are collected while the main bundle is built.
 */
const lazyFolders = [
  'dist/daemon/',
  'dist/src/tui/',
  'dist/src/shared/xml/',
  'dist/src/shared/settings/support/',
];
/** Modules that are small enough for the main bundle and needed by every completion. */
const bundledModules = ['dist/daemon/admin/read-account-names.js'];
const lazyModules = new Set();
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
const modules = {
  ...common,
  format: 'esm',
  // Of packages that have both, the ES modules: esbuild leaves out what is not used of them (OpenTelemetry: 137 KB instead of 565 KB).
  mainFields: ['module', 'main'],
  // The development build of React is slower in every frame.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  // Some of the bundled packages are CommonJS and load built-in modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

const fingerprint = fingerprintOf(root);
if (isBuilt(root, fingerprint)) process.exit();
rmSync(`${root}dist`, { recursive: true, force: true });
run(`${root}node_modules/typescript/bin/tsc`);

const main = await build({
  ...common,
  entryPoints: ['dist/src/cli/main.js'],
  outfile: `${shipped}/venc.cjs`,
  format: 'cjs',
  // launch.cjs passes the URL, because a CommonJS file has no import.meta.
  define: { 'import.meta.url': '__bundleUrl' },
  plugins: [{ name: 'lazy-modules', setup: excludeLazyModules }],
});
// A script with a code cache cannot call import(). launch.cjs passes its own import function, with a name of the same
// length, so that the columns of the source map stay correct.
const bundle = `${shipped}/venc.cjs`;
writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(/\bimport\(/g, '$mport('));

const lazy = await build({
  ...modules,
  entryPoints: [...lazyModules],
  outdir: `${shipped}/lazy`,
  outbase: 'dist',
  chunkNames: 'parts/[hash]',
  splitting: true,
  plugins: [{ name: 'no-devtools', setup: excludeDevtools }, collectNamedFiles(namedFiles)],
});
const named = await Promise.all(
  destinationsOfNamedFiles(shipped, namedFiles).map(({ source, destination }) =>
    build({ ...modules, entryPoints: [source], outfile: destination }),
  ),
);
const bundled = bundledPackages(root, [main, lazy, ...named]);
writeFileSync(`${shipped}/LICENSES`, licencesOf(root, bundled));
const sbom = sbomOf(root, bundled);
if (sbom !== null) writeFileSync(`${root}dist/sbom.cdx.json`, sbom);
for (const name of ['launch.cjs', 'mapped-stacks.cjs'])
  copyFileSync(`${root}scripts/build/${name}`, `${shipped}/${name}`);
checkReferences(shipped);
run(`${root}scripts/build/warm-code-cache.mjs`, `${shipped}/v8-${process.versions.v8}-${process.arch}.cache`);
// Without npm the build is not complete.
if (sbom !== null) recordBuild(root, fingerprint);

function excludeLazyModules(bundler) {
  bundler.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
    const found = relative(root, resolve(resolveDir, path));
    if (kind !== 'dynamic-import' || bundledModules.includes(found)) return null;
    if (!lazyFolders.some((folder) => found.startsWith(folder))) return null;
    lazyModules.add(found);
    return { path: `./lazy/${relative('dist', found)}`, external: true };
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

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
