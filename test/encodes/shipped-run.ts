import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';
import { encoders, frames } from '../plan/encoded.js';

/** The builds of ffmpeg to test with `bin/venc.js`: those of `encoders`, with their paths. */
export async function buildPaths(): Promise<readonly (readonly [string, string])[]> {
  return (await encoders()).map(([name, { ffmpeg }]) => [name, ffmpeg.path] as const);
}

/** A `bin/venc.js` daemon in its own process that encodes local files. */
export interface ShippedEncoder {
  /** Encodes one output of a file, optionally in test mode. `name` is the name of the output in a new folder. */
  encoded(input: string, settings?: object, name?: string, isTest?: boolean): Promise<Encoded>;
  end(): Promise<void>;
}

/** The result of an encode: the path of the output, even if it does not exist, and the job's record. */
export interface Encoded {
  readonly path: string;
  readonly job: JobRecord;
}

/** Starts a daemon with a given ffmpeg. */
export async function startShipped(ffmpeg: string): Promise<ShippedEncoder> {
  const args = ['--files-root', tmpdir(), '--ffmpeg', ffmpeg, '--jobs', '2'];
  const daemon = await startDaemonProcess(join(tempFolder(), 'data'), args);
  const headers = { 'Service-Api-Key': processKey };
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(`${daemon.url}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    async encoded(input, settings = {}, name = 'out.mp4', isTest = false) {
      const path = join(tempFolder(), name);
      const outputs = [{ ...settings, url: pathToFileURL(path).href }];
      const body = JSON.stringify({ input: pathToFileURL(input).href, test: isTest, outputs });
      const { id } = await ask<{ id: number }>('/v2/jobs', { method: 'POST', body });
      const { job } = await pollUntil(
        () => ask<{ job: JobRecord }>(`/v2/jobs/${id}`),
        ({ job }) => isFinal(job.state),
        60_000,
      );
      return { path, job };
    },
    async end() {
      await daemon.end('SIGTERM');
    },
  };
}

/** The warnings of the outputs of a job, which must have finished. */
export function warningsOf({ job }: Pick<Encoded, 'job'>): readonly string[] {
  assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
  return job.output_media_files.flatMap(({ warnings = [] }) => warnings);
}

/** Makes files in a folder with the ffmpeg of the tests. */
export function makerIn(folder: string): (name: string, ...args: readonly string[]) => Promise<string> {
  return async (name, ...args) => {
    const path = join(folder, name);
    await ffmpegRaw(...args, path);
    return path;
  };
}

/** The luma of all frames of a file, as the ffmpeg of the tests decodes and rotates them. */
export async function lumaOf(path: string, pixels: number): Promise<readonly Uint8Array[]> {
  return frames(await testFfmpeg(), path, pixels, path.endsWith('.png') ? ['-f', 'image2'] : []);
}

/** The mean absolute difference of two frames, of 255 steps; infinity if their sizes differ. */
export function difference(one: Uint8Array | undefined, other: Uint8Array | undefined): number {
  if (one === undefined || other === undefined || one.length !== other.length)
    return Number.POSITIVE_INFINITY;
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}
