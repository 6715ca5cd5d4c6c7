import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** A build of ffmpeg for `bin/venc.js`: its name for the test, and the environment that selects it. */
export interface ShippedBuild {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

// One home folder for all runs, so that the capabilities of a build are read only once.
const home = tempFolder();

const installed = (scope: string) => join(process.cwd(), 'node_modules', scope, 'linux-x64', 'ffmpeg');

/** The builds to test: the one that `VENC_FFMPEG` names, or else the first one on `PATH` and those that npm installed. */
export async function shippedBuilds(): Promise<readonly ShippedBuild[]> {
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const named = (path: string, name: string) => ({
    name,
    env: { VENC_FFMPEG: path, VENC_FFPROBE: ffprobe.path },
  });
  const others = ['@ffmpeg-installer', '@ffmpeg-binary'].map((scope) => named(installed(scope), scope));
  const scoped = others.find(({ env }) => env.VENC_FFMPEG === ffmpeg.path);
  const first = scoped ?? named(ffmpeg.path, `ffmpeg ${ffmpeg.version}`);
  if (process.env.VENC_FFMPEG !== undefined) return [first];
  return [
    first,
    ...others.filter(({ env }) => existsSync(env.VENC_FFMPEG) && env.VENC_FFMPEG !== ffmpeg.path),
  ];
}

/** Encodes a file with `venc run` as shipped and returns the path of the output. */
export async function runShipped(
  build: ShippedBuild,
  input: string,
  name: string,
  words: readonly string[] = [],
): Promise<string> {
  const output = join(tempFolder(), name);
  const args = ['run', input, '-o', output, '--progress', 'none', ...words];
  const { code, stderr } = await runCli(args, { env: { HOME: home, ...build.env } });
  assert.is(code, 0, stderr);
  return output;
}

/** Runs the ffmpeg of the tests and returns its stdout and stderr. */
export async function measure(
  ...args: readonly string[]
): Promise<{ readonly out: Buffer; readonly stderr: string }> {
  const { ffmpeg } = await testFfmpeg();
  const all = ['-hide_banner', '-nostats', '-nostdin', ...args];
  const options = { encoding: 'buffer', maxBuffer: 2 ** 28 } as const;
  const { stdout, stderr } = await promisify(execFile)(ffmpeg.path, all, options);
  return { out: stdout, stderr: stderr.toString() };
}
