import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { tempFolder } from '../helpers/temp.js';

/** How a run of the program ended. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run may be given beside its words. */
export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** A run that goes on. */
export interface CliRun {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CliResult>;
  /** Resolves when stdout or stderr has this text in it; rejects when the program ends without it. */
  expectedText(text: string): Promise<void>;
}

/** As it is built and installed: bundled, which starts in half the time. */
const program = resolve('bin/venc.js');

/** Starts the program as a person would, in a home of its own with nothing in it. */
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
        ended.then(() => reject(new Error(`it ended without saying "${text}": ${stdout}${stderr}`)), reject);
      }),
  };
}

/** Where programs are found, and those that the suite is run with. */
function givenPrograms(): Record<string, string> {
  const names = ['PATH', 'VENC_FFMPEG', 'VENC_FFPROBE', 'XDG_CACHE_HOME'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Runs the program to its end. */
export function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(words, options).ended;
}
