import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OutputMediaFile } from '../src/shared/records.js';
import { vencPath } from './programs.js';
import type { QualityClip } from './quality-clips.js';

/** What `venc run` made of a clip. */
export interface EncodedClip {
  readonly path: string;
  readonly bytes: number;
  readonly output: OutputMediaFile;
  readonly seconds: number;
}

/** Encodes a clip with `venc run`, as it is shipped, into a file of its own in a folder. */
export async function encodeClip(
  { name, path: clip }: QualityClip,
  folder: string,
  words: readonly string[],
): Promise<EncodedClip> {
  const path = join(folder, `${name}${words.join('')}.mp4`);
  const args = ['run', clip, '-o', path, '--force', '--progress', 'none', '--json', ...words];
  const started = performance.now();
  const answer = await venc(args, folder);
  const seconds = (performance.now() - started) / 1000;
  const [first] = JSON.parse(answer) as readonly {
    readonly job: { output_media_files: OutputMediaFile[] };
  }[];
  const output = first?.job.output_media_files[0];
  if (output === undefined) throw new Error(`${name} ${words.join(' ')} has no output: ${answer}`);
  return { path, output, bytes: (await stat(path)).size, seconds };
}

/** Runs the shipped program and returns its stdout. Its data folder is in `folder`. */
export async function venc(args: readonly string[], folder: string): Promise<string> {
  const env = { ...process.env, HOME: folder };
  const options = { env, maxBuffer: 1e8 };
  return (await promisify(execFile)(process.execPath, [vencPath, ...args], options)).stdout;
}
