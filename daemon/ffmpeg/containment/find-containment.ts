import { readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { execa } from 'execa';
import { VencError } from '../../../src/shared/errors.js';
import { childEnvironment } from '../../../src/shared/util/environment.js';
import { findOnSearchPath } from '../candidates.js';
import { type HardLimits, type ProgramLimits, parseHardLimits, prlimitOptions } from './program-limits.js';
import { type ProgramAccess, sandboxCommand } from './sandbox.js';

/** Whether ffmpeg runs in a sandbox: if possible, always, or never (`--sandbox`). */
export type SandboxMode = 'auto' | 'bwrap' | 'none';

/**
 * The programs that contain another one. Each executes the next without a process of its own, except bubblewrap, which
 * has one.
 */
export interface Containment {
  /** The path of `prlimit`; null if it does not work, and then programs have no limits. */
  readonly prlimit: string | null;
  /** The limits that `prlimit` cannot exceed; none if absent. */
  readonly hardLimits?: HardLimits;
  /** `setpriv` with options, so that the kernel kills a program when this process ends; empty if it does not work. */
  readonly setpriv: readonly string[];
  /** `taskset` with the processors that one run may use, chosen at each start; null to use all. */
  readonly taskset: {
    readonly path: string;
    readonly processors: readonly number[];
    readonly count: number;
  } | null;
  /** `ionice` with options, for the idle class of the disk; empty if that is not wanted or does not work. */
  readonly ionice: readonly string[];
  /** The path of `bwrap`; null for no sandbox. */
  readonly bwrap: string | null;
  /** Why there is no sandbox, as words after "because"; null if there is one or none is wanted. */
  readonly sandboxProblem: string | null;
}

/** Programs run without limits and sandbox. */
export const noContainment: Containment = {
  prlimit: null,
  setpriv: [],
  taskset: null,
  ionice: [],
  bwrap: null,
  sandboxProblem: null,
};

/** One start of a program. */
interface ContainedStart {
  readonly program: string;
  readonly limits: ProgramLimits;
  readonly access: ProgramAccess;
}

/** The command to prepend to a program and its arguments. Empty if there is nothing that contains it. */
export function containmentCommand(
  containment: Containment,
  { program, limits, access }: ContainedStart,
): readonly string[] {
  const { prlimit, hardLimits, setpriv, taskset, ionice, bwrap } = containment;
  return [
    ...(prlimit === null ? [] : [prlimit, ...prlimitOptions(limits, hardLimits), '--']),
    ...(taskset === null ? [] : [taskset.path, '--cpu-list', chooseProcessors(taskset).join(',')]),
    ...ionice,
    ...setpriv,
    ...(bwrap === null
      ? []
      : sandboxCommand(bwrap, program, access, { isGroupLeader: setpriv.length > 0, env: process.env })),
  ];
}

/**
 * Different processors for concurrent encodes, as far as chance has it: nothing has to be remembered about the others.
 */
function chooseProcessors({ processors, count }: NonNullable<Containment['taskset']>): readonly number[] {
  const first = Math.floor(Math.random() * processors.length);
  return [...processors.slice(first), ...processors.slice(0, first)].slice(0, count);
}

const trialLimits: ProgramLimits = { memoryBytes: 1e9, fileSizeBytes: 1e9, cpuSeconds: 60 };
const trialTimeoutMs = 10_000;

/**
 * Finds the programs that contain others. All of them together are tried with one short process, because busybox has a
 * setpriv without the options, and many containers allow no namespaces. Only if that fails, each is tried alone.
 * Rejects with `UsageError` if the sandbox is required and does not work.
 */
export async function findContainment(options: {
  readonly searchPath: string;
  readonly sandbox: SandboxMode;
  readonly threads: number | null;
  readonly isIoIdle: boolean;
}): Promise<Containment> {
  const find = async (name: string) => (await findOnSearchPath(name, options.searchPath))[0] ?? null;
  const names = ['prlimit', 'setpriv', 'taskset', 'ionice', 'bwrap'] as const;
  const [prlimit, setprivPath, tasksetPath, ionicePath, bwrapPath] = await Promise.all(names.map(find));
  const setpriv = setprivPath == null ? [] : [setprivPath, '--pdeathsig', 'KILL', '--no-new-privs', '--'];
  const taskset = tasksetPath == null ? null : await processorsFor(tasksetPath, options.threads);
  const ionice = options.isIoIdle && ionicePath != null ? [ionicePath, '--class', '3'] : [];
  const bwrap = options.sandbox === 'none' ? null : (bwrapPath ?? null);
  const sandboxProblem =
    options.sandbox === 'none' || bwrap !== null ? null : 'bwrap (bubblewrap) is not installed';
  const hardLimits = parseHardLimits(await readFile('/proc/self/limits', 'utf8').catch(() => ''));
  const all: Containment = {
    ...{ prlimit: prlimit ?? null, hardLimits, setpriv, taskset, ionice, bwrap, sandboxProblem },
  };
  // A PATH with only what venc needs may lack it.
  const [trueProgram] = await findOnSearchPath(
    'true',
    `${options.searchPath}${delimiter}/usr/bin${delimiter}/bin`,
  );
  if (trueProgram === undefined) {
    const problem = sandboxProblem ?? 'the program true, with which it is tried, is not installed';
    return requireSandbox(
      { ...noContainment, sandboxProblem: options.sandbox === 'none' ? null : problem },
      options.sandbox,
    );
  }
  const works = (containment: Containment) => tryContainment(containment, trueProgram);
  if ((await works(all)) === null) return requireSandbox(all, options.sandbox);
  const [limits, death, processors, disk] = await Promise.all([
    works({ ...noContainment, prlimit: all.prlimit, hardLimits }),
    works({ ...noContainment, setpriv }),
    works({ ...noContainment, taskset }),
    works({ ...noContainment, ionice }),
  ]);
  const rest: Containment = {
    prlimit: limits === null ? all.prlimit : null,
    hardLimits,
    setpriv: death === null ? setpriv : [],
    taskset: processors === null ? taskset : null,
    ionice: disk === null ? ionice : [],
    bwrap: null,
    sandboxProblem,
  };
  if (bwrap === null) return requireSandbox(rest, options.sandbox);
  const problem = await works({ ...rest, bwrap });
  const found = problem === null ? { ...rest, bwrap } : { ...rest, sandboxProblem: problem };
  return requireSandbox(found, options.sandbox);
}

/** Returns the containment, unless a sandbox is required and there is none. */
export function requireSandbox(containment: Containment, sandbox: SandboxMode): Containment {
  if (sandbox !== 'bwrap' || containment.bwrap !== null) return containment;
  const message = `The sandbox for ffmpeg (--sandbox bwrap) does not work: ${containment.sandboxProblem}.`;
  throw new VencError('UsageError', message, {
    hint: 'install bubblewrap and allow user namespaces, or use --sandbox auto or none',
  });
}

/** Why a program does not start with a containment; null if it does. */
async function tryContainment(containment: Containment, program: string): Promise<string | null> {
  const access = { folder: null, inputs: [] };
  const [command = program, ...args] = [
    ...containmentCommand(containment, { program, limits: trialLimits, access }),
    program,
  ];
  const { failed, stderr, timedOut } = await execa(command, args, {
    env: childEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'ignore',
    reject: false,
    timeout: trialTimeoutMs,
    maxBuffer: 10_000,
  });
  if (!failed) return null;
  if (timedOut) return 'a trial did not end';
  return `a trial failed: ${stderr.trim().split('\n').at(-1)?.replace(/\.$/, '') || 'without a message'}`;
}

/** The processors that this process may use, if one run may use fewer. */
async function processorsFor(path: string, count: number | null): Promise<Containment['taskset']> {
  if (count === null) return null;
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const processors = parseProcessorList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
  return processors.length <= count ? null : { path, processors, count };
}

/** Parses a list such as `0-3,8`. */
export function parseProcessorList(text: string): readonly number[] {
  return text.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    if (range === '' || !Number.isInteger(first) || !Number.isInteger(last)) return [];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  });
}
