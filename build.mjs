/*
 * The build: types and tests by tsc into dist/, and the program itself once more into dist/venc/, bundled. Start-up is mostly the reading
 * of modules, so what every command reads is one file, `venc.cjs`, and each room that is loaded lazily (the workshop, the live screen) is a
 * module of its own beside it. CommonJS, since the loader of modules alone costs as much as reading all of it; and with V8's
 * code cache, good for the Node that built it and passed over by others. `venc list --json` in CPU time beside bare Node, medians of 11:
 * modules 1.91, one file 1.52, the same minified 1.51, one file with the cache 1.48 and less. Names are kept whole: to shorten them gained nothing, and stacks stay readable.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const { dependencies, optionalDependencies } = createRequire(import.meta.url)('./package.json');
/** Read by every command, so worth having in the bundle; the others stay packages, loaded by what needs them. */
const bundled = ['commander'];
/** What draws the live screen: as packages it takes 640 ms of CPU time to load, in one file 115. */
const bundledLazily = ['ink', 'react'];
const packages = Object.keys({ ...dependencies, ...optionalDependencies });

rmSync(`${root}dist`, { recursive: true, force: true });
run(process.execPath, [`${root}node_modules/typescript/bin/tsc`]);

/** Rooms that no command needs to start; what is in them is found while the bundle is made. */
const lazyRooms = ['dist/daemon/', 'dist/src/tui/'];
const lazyModules = new Set();
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

await build({
  ...common,
  entryPoints: ['dist/src/cli/main.js'],
  outfile: 'dist/venc/venc.cjs',
  format: 'cjs',
  external: packages.filter((name) => !bundled.includes(name)),
  // The code cache knows no import(): launch.cjs hands its own one in.
  plugins: [{ name: 'lazy-rooms', setup: leaveLazyRoomsOut }],
});
const bundle = `${root}dist/venc/venc.cjs`;
writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(/\bimport\(/g, '__import('));

await build({
  ...common,
  entryPoints: [...lazyModules],
  outdir: 'dist/venc/lazy',
  outbase: 'dist',
  chunkNames: 'parts/[hash]',
  splitting: true,
  format: 'esm',
  external: packages.filter((name) => !bundledLazily.includes(name)),
  // React's development build is slower in every frame.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  // What they need is CommonJS in part, and asks for Node's own modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [{ name: 'no-devtools', setup: leaveDevtoolsOut }],
});
copyFileSync(`${root}launch.cjs`, `${root}dist/venc/launch.cjs`);
run(process.execPath, [`${root}build-cache.mjs`]);

function leaveLazyRoomsOut(bundler) {
  bundler.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) => {
    const found = relative(root, resolve(resolveDir, path));
    if (kind !== 'dynamic-import' || !lazyRooms.some((room) => found.startsWith(room))) return null;
    lazyModules.add(found);
    return { path: `./lazy/${relative('dist', found)}`, external: true };
  });
}

/** ink looks for React's devtools where DEV is set, a package that nobody has here. */
function leaveDevtoolsOut(bundler) {
  bundler.onLoad({ filter: /ink\/build\/devtools\.js$/ }, () => ({ contents: '' }));
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
