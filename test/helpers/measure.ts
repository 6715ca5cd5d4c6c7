import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testFfmpeg } from './media.js';

/** The fields of a stream in ffprobe's output that tests check. */
interface FoundStream {
  readonly codec_type: string;
  readonly codec_name: string;
  readonly width?: number;
  readonly height?: number;
  readonly pix_fmt?: string;
  readonly sample_aspect_ratio?: string;
  readonly channels?: number;
  readonly sample_rate?: string;
}

/** The ffprobe output of a file, independent of the code under test. */
interface Found {
  readonly format: { readonly format_name: string; readonly duration: string };
  readonly video: FoundStream | undefined;
  readonly audio: FoundStream | undefined;
}

/** Runs ffprobe on bytes, which are first written to `folder`. */
export async function ffprobe(bytes: Uint8Array, folder: string): Promise<Found> {
  const path = join(folder, 'measured');
  await writeFile(path, bytes);
  const args = ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', `file:${path}`];
  const { stdout } = await promisify(execFile)((await testFfmpeg()).ffprobe.path, args);
  const { format, streams } = JSON.parse(stdout) as {
    format: Found['format'];
    streams: readonly FoundStream[];
  };
  const first = (type: string) => streams.find(({ codec_type: kind }) => kind === type);
  return { format, video: first('video'), audio: first('audio') };
}
