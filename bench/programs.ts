import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The path of the measured program, as it is installed. */
export const vencPath = fileURLToPath(new URL('../../bin/venc.js', import.meta.url));

/** Runs a program to its end and discards stdout. If the exit code is not 0, rejects with the end of stderr. */
export async function runProgram(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${path} ${args.join(' ')} ended with ${code ?? signal}: ${stderr}`);
}

/** Runs the ffmpeg on the PATH, which replaces files that exist. */
export function ffmpegOnPath(args: readonly string[]): Promise<void> {
  return runProgram('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args]);
}

/** Runs a Node program to its end and returns its stdout. */
export async function outputOf(args: readonly string[], env: NodeJS.ProcessEnv, stdin = ''): Promise<string> {
  const running = promisify(execFile)(process.execPath, args, { env });
  running.child.stdin?.on('error', () => {}).end(stdin);
  return (await running).stdout;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Seconds of processor time that a process and all its children that have ended used, or those children of this process
 * (proc(5): utime, stime, cutime, cstime).
 */
export async function cpuSecondsOf(pid: number | 'self' | 'children'): Promise<number> {
  const stat = await readFile(`/proc/${pid === 'children' ? 'self' : pid}/stat`, 'utf8');
  // The program name is in parentheses and can contain spaces. Counted from the field after it, utime is the 12th
  // field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(pid === 'children' ? 13 : 11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

/** Resident memory of a process, in megabytes of 1,000,000 bytes. */
export async function residentMegabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(kibibytes)) throw new Error(`the memory of process ${pid} is unknown`);
  return (kibibytes * 1024) / 1_000_000;
}

/** Peak resident memory of a process, in megabytes of 1,000,000 bytes. */
export async function peakMegabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  if (!Number.isFinite(kibibytes)) throw new Error(`the memory of process ${pid} is unknown`);
  return (kibibytes * 1024) / 1_000_000;
}
