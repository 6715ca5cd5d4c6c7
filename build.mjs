/*
 * The build: types and tests by tsc into dist/, and the program itself once more into dist/venc/, bundled. Each command and each room
 * that is loaded lazily becomes a file of its own there. Start-up is mostly the reading of modules: bundled,
 * `venc submit` takes 1.8 times as long as bare Node, and 2.1 times as some fifty files.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const { dependencies, optionalDependencies } = createRequire(import.meta.url)('./package.json');
/** Read by every command, so worth having in the bundle; the others stay packages, loaded by what needs them. */
const bundled = ['commander'];

rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'dist/src/cli/main.js',
    // Started as a thread, beside the file that does so.
    'summing-worker': 'dist/daemon/transports/summing-worker.js',
  },
  outdir: 'dist/venc',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => !bundled.includes(name),
  ),
  // commander is CommonJS and asks for Node's own modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
