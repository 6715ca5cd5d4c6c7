import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The bare app of `http-bare.ts`, in a process of its own. */
export interface BareServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the bare app, which keeps its files in a folder. */
export async function startBare(folder: string): Promise<BareServer> {
  const program = fileURLToPath(new URL('./http-bare.js', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`the bare app ended with ${code} before it was there`);
  });
  failed.catch(() => {});
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
