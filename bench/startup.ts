import { join } from 'node:path';
import { startDaemon } from './daemon.js';
import { fillDataFolder } from './http-jobs.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { cpuSecondsOf, outputOf, vencPath } from './programs.js';
import { cpuFigureSuffix } from './transfer-cost.js';

/** Initial number of jobs of the daemon. */
const jobCount = 20;

interface Command {
  readonly name: string;
  readonly args: (daemonUrl: string, finishedId: string) => readonly string[];
  readonly stdin?: string;
  /** Whether the stdout of the command is that of a successful run. */
  readonly isDone: (stdout: string) => boolean;
  readonly atMost: number;
  /** The most processor time, as a multiple of a bare Node: a quarter more than was reached. Absent if it is not limited. */
  readonly cpuAtMost?: number;
}

/** What one run of a command took. */
interface Run {
  readonly ms: number;
  readonly cpuSeconds: number;
}

const commands: readonly Command[] = [
  {
    name: 'venc --version',
    args: () => ['--version'],
    isDone: (stdout) => /^\d+\.\d+\.\d+\n$/.test(stdout),
    atMost: 1.15,
    cpuAtMost: 1.3,
  },
  {
    name: 'venc --help',
    args: () => ['--help'],
    isDone: (stdout) => stdout.startsWith('Usage: venc ') && stdout.includes('\n  submit '),
    atMost: 1.2,
    cpuAtMost: 1.45,
  },
  {
    name: 'venc list --json',
    args: () => ['list', '--json'],
    isDone: (stdout) => JSON.parse(stdout).length >= jobCount,
    atMost: 1.35,
    cpuAtMost: 1.8,
  },
  {
    name: 'venc submit URL',
    args: (url) => ['submit', `${url}/clip.mp4`],
    isDone: (stdout) => /^\d+\n$/.test(stdout),
    atMost: 1.7,
  },
  {
    name: 'venc __complete',
    args: () => ['__complete', 'bash'],
    stdin: 'submit\0--video-codec\0the\0',
    isDone: (stdout) => stdout === 'words\ntheora\n',
    atMost: 1.2,
    cpuAtMost: 1.4,
  },
  {
    name: 'venc completion bash',
    args: () => ['completion', 'bash'],
    isDone: (stdout) => stdout.includes('complete -o default -F'),
    atMost: 1.6,
  },
  {
    name: 'venc wait for a finished job',
    args: (_, id) => ['wait', id],
    isDone: (stdout) => stdout === '',
    atMost: 1.7,
  },
];

const isSilent = (stdout: string) => stdout === '';

/** The entry points of the package, and how much longer than an empty module each may take, as a share of a bare Node. */
const entryPoints = [
  { name: 'venc', atMost: 1.5 },
  { name: 'venc/client', atMost: 0.125 },
] as const;

/** The arguments of Node that run a module. */
function moduleArgs(source: string): readonly string[] {
  return ['--input-type=module', '-e', source];
}

/**
 * Measures the duration and the processor time of commands, compared with a Node process that does nothing. The daemon
 * that they use is already running and starts no jobs. A command that fails or prints unexpected output fails the
 * measurement.
 */
export async function measureStartup(folder: string, rounds: number): Promise<readonly Figure[]> {
  const [finished] = await fillDataFolder(join(folder, 'data'), jobCount);
  const daemon = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  try {
    // The user who runs the benchmark may have configured targets and defaults.
    const env = { ...daemon.env, XDG_CONFIG_HOME: join(folder, 'config') };
    const run =
      (args: readonly string[], isDone: Command['isDone'], stdin = '') =>
      async (): Promise<Run> => {
        let stdout = '';
        const before = await cpuSecondsOf('children');
        const ms = await timed(async () => {
          stdout = await outputOf(args, env, stdin);
        });
        if (!isDone(stdout)) throw new Error(`${args.join(' ')} printed: ${stdout}`);
        return { ms, cpuSeconds: (await cpuSecondsOf('children')) - before };
      };
    const samples = await alternate<string, Run>(rounds, {
      node: run(['-e', '0'], isSilent),
      module: run(moduleArgs('0'), isSilent),
      ...Object.fromEntries(
        entryPoints.map(({ name }) => [name, run(moduleArgs(`import '${name}'`), isSilent)]),
      ),
      ...Object.fromEntries(
        commands.map(({ name, args, isDone, stdin }) => [
          name,
          run([vencPath, ...args(daemon.url, String(finished?.id))], isDone, stdin),
        ]),
      ),
    });
    const durationsOf = (name: string) => (samples[name] ?? []).map(({ ms }) => ms);
    const bare = durationsOf('node');
    const textOf = (values: readonly number[], digits: number) =>
      `${spreadOf(values).median.toFixed(digits)} ms, node -e 0 ${spreadOf(bare).median.toFixed(0)} ms`;
    const imports = entryPoints.map(({ name, atMost }): Figure => {
      const empty = durationsOf('module');
      const extra = durationsOf(name).map((own, round) => own - (empty[round] ?? 0));
      const value = spreadOf(ratiosOf(extra, bare));
      return {
        name: `import '${name}', above an empty module`,
        unit: 'x',
        value,
        atMost,
        basis: textOf(extra, 1),
      };
    });
    const started = commands.map(({ name, atMost }): Figure => {
      const own = durationsOf(name);
      return { name, unit: 'x', value: spreadOf(ratiosOf(own, bare)), atMost, basis: textOf(own, 0) };
    });
    // Processor time is counted in hundredths of a second: only the sum of all runs is exact.
    const cpuMsOf = (name: string) =>
      ((samples[name] ?? []).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / rounds) * 1_000;
    const costs = commands.flatMap(({ name, cpuAtMost }): readonly Figure[] => {
      if (cpuAtMost === undefined) return [];
      const [own, node] = [cpuMsOf(name), cpuMsOf('node')];
      const basis = `${own.toFixed(0)} ms, node -e 0 ${node.toFixed(0)} ms`;
      const value = spreadOf([own / node]);
      return [{ name: `${name}, ${cpuFigureSuffix}`, unit: 'x', value, atMost: cpuAtMost, basis }];
    });
    return [...started, ...costs, ...imports];
  } finally {
    await daemon.stop();
  }
}
