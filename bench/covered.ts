/*
 * Runs `venc` unbundled, from dist/, with V8's precise coverage. A message on the channel to the parent process, or the end of the
 * process, sends the functions that ran since the message before.
 */
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { main } from '../src/cli/main.js';

/** The code that ran or was loaded since the coverage before: files relative to dist/, with the names of the functions that ran. */
export type Coverage = Readonly<Record<string, readonly string[]>>;

const dist = fileURLToPath(new URL('..', import.meta.url));
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', () => process.send?.(takeCoverage()));
process.once('exit', () => process.send?.(takeCoverage()));
process.channel?.unref();
await main(process.argv.slice(2));

function takeCoverage(): Coverage {
  const files: Record<string, string[]> = {};
  // Within a process, the answer of a session arrives before `post` returns.
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!/^(src|daemon)\//.test(path.slice(dist.length)) || !path.startsWith(dist)) continue;
      // The function that begins at 0 is the module itself, which runs when it is loaded.
      const ran = functions.filter(
        ({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0,
      );
      files[path.slice(dist.length)] = [...new Set(ran.map(({ functionName }) => functionName))];
    }
  });
  return files;
}
