import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The program under measure, as it is installed. */
export const vencPath = fileURLToPath(new URL('../../bin/venc.js', import.meta.url));

/** Runs a program to its end and discards stdout. If the exit code is not 0, rejects with the end of stderr. */
export async function runProgram(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${path} ${args.join(' ')} ended with ${code ?? signal}: ${said}`);
}

/** Runs a Node program to its end and returns its stdout. */
export async function outputOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}
