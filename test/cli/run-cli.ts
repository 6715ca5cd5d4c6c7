import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { tempFolder } from '../helpers/temp.js';

/** The result of a run of the program. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a run in addition to its arguments. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** A running program. */
export interface CliRun {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CliResult>;
  /** Resolves when stdout or stderr contains this text; rejects if the program ends without it. */
  expectedText(text: string): Promise<void>;
}

/** The built and installed form: bundled, which starts in half the time. */
const program = resolve('bin/venc.js');

/** Starts the program as a user does, in a new, empty home. */
export function startCli(words: readonly string[], options: CliOptions = {}): CliRun {
  const home = tempFolder();
  const child = spawn(process.execPath, [program, ...words], {
    cwd: options.cwd ?? home,
    env: { ...givenPrograms(), HOME: home, VENC_DATA: join(home, 'data'), ...options.env },
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const hear = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    hear();
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
    hear();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    expectedText: (text) =>
      new Promise((resolve, reject) => {
        const listen = () => {
          if (!`${stdout}\n${stderr}`.includes(text)) return;
          listeners.delete(listen);
          resolve();
        };
        listeners.add(listen);
        listen();
        ended.then(
          () => reject(new Error(`it ended without printing "${text}": ${stdout}${stderr}`)),
          reject,
        );
      }),
  };
}

/** The PATH, and the program variables of the test run. */
function givenPrograms(): Record<string, string> {
  const names = ['PATH', 'VENC_FFMPEG', 'VENC_FFPROBE', 'XDG_CACHE_HOME'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Runs the program to its end. */
export function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(words, options).ended;
}
