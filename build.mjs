/*
 * The build: types and tests by tsc into dist/, and the program itself once more into dist/venc/, bundled. Start-up is mostly the reading
 * of modules, so what every command reads is one file, `venc.cjs`, and each room that is loaded lazily (the workshop, the live screen) is a
 * module of its own beside it. CommonJS, since the loader of modules alone costs as much as reading all of it; and with V8's
 * code cache, good for the Node that built it and passed over by others. `venc list --json` in CPU time beside bare Node, medians of 11:
 * modules 1.91, one file 1.52, the same minified 1.51, one file with the cache 1.48 and less. Names are kept whole: to shorten them gained nothing, and stacks stay readable.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const { dependencies, optionalDependencies } = createRequire(import.meta.url)('./package.json');
/**
 * These stay packages, loaded by what needs them. The rest is bundled, and an install has no need of it: commander, which every command
 * reads, and ink and react, which draw the live screen (640 ms of CPU time to load as packages, 115 in one file).
 */
const packages = Object.keys({ ...dependencies, ...optionalDependencies });

rmSync(`${root}dist`, { recursive: true, force: true });
run(process.execPath, [`${root}node_modules/typescript/bin/tsc`]);

/** Rooms that no command needs to start; what is in them is found while the bundle is made. */
const lazyRooms = ['dist/daemon/', 'dist/src/tui/'];
/** Asked at a TAB, and smaller than what it takes to load a module: in the bundle all the same. */
const bundledModules = ['dist/daemon/desk-names.js'];
const lazyModules = new Set();
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  external: packages,
};

const main = await build({
  ...common,
  entryPoints: ['dist/src/cli/main.js'],
  outfile: 'dist/venc/venc.cjs',
  format: 'cjs',
  // The code cache knows no import(): launch.cjs hands its own one in.
  plugins: [{ name: 'lazy-rooms', setup: leaveLazyRoomsOut }],
});
const bundle = `${root}dist/venc/venc.cjs`;
writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(/\bimport\(/g, '__import('));

const lazy = await build({
  ...common,
  entryPoints: [...lazyModules],
  outdir: 'dist/venc/lazy',
  outbase: 'dist',
  chunkNames: 'parts/[hash]',
  splitting: true,
  format: 'esm',
  // React's development build is slower in every frame.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  // What they need is CommonJS in part, and asks for Node's own modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [{ name: 'no-devtools', setup: leaveDevtoolsOut }],
});
writeFileSync(`${root}dist/venc/LICENSES`, licencesOf([main, lazy]));
copyFileSync(`${root}launch.cjs`, `${root}dist/venc/launch.cjs`);
run(process.execPath, [`${root}build-cache.mjs`]);

function leaveLazyRoomsOut(bundler) {
  bundler.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
    const found = relative(root, resolve(resolveDir, path));
    if (kind !== 'dynamic-import' || bundledModules.includes(found)) return null;
    if (!lazyRooms.some((room) => found.startsWith(room))) return null;
    lazyModules.add(found);
    return { path: `./lazy/${relative('dist', found)}`, external: true };
  });
}

/** The licences of the packages that are in the bundles: each asks that its text goes where its code goes. */
function licencesOf(builds) {
  const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const texts = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
    const file = readdirSync(`${root}${folder}`).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n\n${readFileSync(`${root}${folder}/${file}`, 'utf8').trim()}`;
    return `${name} ${version}, ${license}${text}`;
  });
  return `venc has code of these packages in it.\n\n${[...new Set(texts)].sort().join(`\n\n${'-'.repeat(70)}\n\n`)}\n`;
}

/** ink looks for React's devtools where DEV is set, a package that nobody has here. */
function leaveDevtoolsOut(bundler) {
  bundler.onLoad({ filter: /ink\/build\/devtools\.js$/ }, () => ({ contents: '' }));
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
