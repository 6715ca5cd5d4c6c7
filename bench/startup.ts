import { join } from 'node:path';
import { startDaemon } from './daemon.js';
import { fillDataFolder } from './http-jobs.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { runNode, vencPath } from './programs.js';

const commands = [
  { name: 'venc --version', args: () => ['--version'], atMost: 1.25 },
  { name: 'venc --help', args: () => ['--help'], atMost: 1.5 },
  { name: 'venc list --json', args: () => ['list', '--json'], atMost: 1.7 },
  { name: 'venc submit URL', args: (url: string) => ['submit', `${url}/clip.mp4`], atMost: 1.7 },
  { name: 'a completion, of targets', args: () => ['complete-words', 'targets'], atMost: 1.35 },
  { name: 'venc wait, of a finished job', args: (_: string, id: string) => ['wait', id], atMost: 1.7 },
] as const;

/**
 * How long commands take from their start to their end, beside a Node that does nothing. The daemon they talk to runs
 * already and starts no jobs.
 */
export async function measureStartup(folder: string, rounds: number): Promise<readonly Figure[]> {
  const [finished] = await fillDataFolder(join(folder, 'data'), 20);
  const daemon = await startDaemon(join(folder, 'data'), folder, ['--jobs', '0']);
  try {
    const run = (args: readonly string[]) => () => timed(() => runNode(args, daemon.env));
    const samples = await alternate<string, number>(rounds, {
      node: run(['-e', '0']),
      ...Object.fromEntries(
        commands.map(({ name, args }) => [name, run([vencPath, ...args(daemon.url, String(finished?.id))])]),
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
