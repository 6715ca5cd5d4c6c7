import { join } from 'node:path';
import { startDaemon } from './daemon.js';
import { fillDataFolder } from './http-jobs.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { outputOf, vencPath } from './programs.js';

/** Initial number of jobs of the daemon. */
const jobCount = 20;

interface Command {
  readonly name: string;
  readonly args: (daemonUrl: string, finishedId: string) => readonly string[];
  readonly stdin?: string;
  /** Whether the stdout of the command is that of a successful run. */
  readonly isDone: (stdout: string) => boolean;
  readonly atMost: number;
}

const commands: readonly Command[] = [
  {
    name: 'venc --version',
    args: () => ['--version'],
    isDone: (stdout) => /^\d+\.\d+\.\d+\n$/.test(stdout),
    atMost: 1.15,
  },
  {
    name: 'venc --help',
    args: () => ['--help'],
    isDone: (stdout) => stdout.startsWith('Usage: venc ') && stdout.includes('\n  submit '),
    atMost: 1.2,
  },
  {
    name: 'venc list --json',
    args: () => ['list', '--json'],
    isDone: (stdout) => JSON.parse(stdout).length >= jobCount,
    atMost: 1.35,
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
 * Measures the duration of commands, compared with a Node process that does nothing. The daemon that they use is
 * already running and starts no jobs. A command that fails or prints unexpected output fails the measurement.
 */
export async function measureStartup(folder: string, rounds: number): Promise<readonly Figure[]> {
  const [finished] = await fillDataFolder(join(folder, 'data'), jobCount);
  const daemon = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  try {
    // The user who runs the benchmark may have configured targets and defaults.
    const env = { ...daemon.env, XDG_CONFIG_HOME: join(folder, 'config') };
    const run =
      (args: readonly string[], isDone: Command['isDone'], stdin = '') =>
      async () => {
        let stdout = '';
        const took = await timed(async () => {
          stdout = await outputOf(args, env, stdin);
        });
        if (!isDone(stdout)) throw new Error(`${args.join(' ')} printed: ${stdout}`);
        return took;
      };
    const samples = await alternate<string, number>(rounds, {
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
    const { node: bare = [], module: empty = [] } = samples;
    const imports = entryPoints.map(({ name, atMost }): Figure => {
      const extra = (samples[name] ?? []).map((own, round) => own - (empty[round] ?? 0));
      const basis = `${spreadOf(extra).median.toFixed(1)} ms, node -e 0 ${spreadOf(bare).median.toFixed(0)} ms`;
      const value = spreadOf(ratiosOf(extra, bare));
      return { name: `import '${name}', above an empty module`, unit: 'x', value, atMost, basis };
    });
    const started = commands.map(({ name, atMost }) => {
      const own = samples[name] ?? [];
      const basis = `${spreadOf(own).median.toFixed(0)} ms, node -e 0 ${spreadOf(bare).median.toFixed(0)} ms`;
      return { name, unit: 'x', value: spreadOf(ratiosOf(own, bare)), atMost, basis } as const;
    });
    return [...started, ...imports];
  } finally {
    await daemon.stop();
  }
}
