import { join } from 'node:path';
import { startDaemon } from './daemon.js';
import { fillDataFolder } from './http-jobs.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { outputOf, vencPath } from './programs.js';

/** How many jobs the daemon has at first. */
const jobCount = 20;

interface Command {
  readonly name: string;
  readonly args: (daemonUrl: string, finishedId: string) => readonly string[];
  /** Whether it says what a command does that has done what it is measured for. */
  readonly isDone: (said: string) => boolean;
  readonly atMost: number;
}

const commands: readonly Command[] = [
  {
    name: 'venc --version',
    args: () => ['--version'],
    isDone: (said) => /^\d+\.\d+\.\d+\n$/.test(said),
    atMost: 1.25,
  },
  {
    name: 'venc --help',
    args: () => ['--help'],
    isDone: (said) => said.startsWith('Usage: venc ') && said.includes('\n  submit '),
    atMost: 1.5,
  },
  {
    name: 'venc list --json',
    args: () => ['list', '--json'],
    isDone: (said) => JSON.parse(said).length >= jobCount,
    atMost: 1.7,
  },
  {
    name: 'venc submit URL',
    args: (url) => ['submit', `${url}/clip.mp4`],
    isDone: (said) => /^\d+\n$/.test(said),
    atMost: 1.7,
  },
  {
    name: 'a completion, of targets',
    args: () => ['complete-words', 'targets'],
    isDone: (said) => said.startsWith('local\t'),
    atMost: 1.35,
  },
  {
    name: 'venc completion bash',
    args: () => ['completion', 'bash'],
    isDone: (said) => said.includes('complete -o default -F'),
    atMost: 1.6,
  },
  {
    name: 'venc wait, of a finished job',
    args: (_, id) => ['wait', id],
    isDone: (said) => said === '',
    atMost: 1.7,
  },
];

/**
 * How long commands take from their start to their end, beside a Node that does nothing. The daemon they talk to runs
 * already and starts no jobs. A command that fails, or says anything else than it should, breaks the measurement.
 */
export async function measureStartup(folder: string, rounds: number): Promise<readonly Figure[]> {
  const [finished] = await fillDataFolder(join(folder, 'data'), jobCount);
  const daemon = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  try {
    // The user who runs the benchmark may have targets and defaults of their own.
    const env = { ...daemon.env, XDG_CONFIG_HOME: join(folder, 'config') };
    const run = (args: readonly string[], isDone: Command['isDone']) => async () => {
      let said = '';
      const took = await timed(async () => {
        said = await outputOf(args, env);
      });
      if (!isDone(said)) throw new Error(`${args.join(' ')} said: ${said}`);
      return took;
    };
    const samples = await alternate<string, number>(rounds, {
      node: run(['-e', '0'], (said) => said === ''),
      ...Object.fromEntries(
        commands.map(({ name, args, isDone }) => [
          name,
          run([vencPath, ...args(daemon.url, String(finished?.id))], isDone),
        ]),
      ),
    });
    const bare = samples.node ?? [];
    return commands.map(({ name, atMost }) => {
      const own = samples[name] ?? [];
      const basis = `${spreadOf(own).median.toFixed(0)} ms, node -e 0 ${spreadOf(bare).median.toFixed(0)} ms`;
      return { name, unit: 'x', value: spreadOf(ratiosOf(own, bare)), atMost, basis };
    });
  } finally {
    await daemon.stop();
  }
}
