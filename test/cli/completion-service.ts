import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasTmux } from '../helpers/tmux.js';

const jobs = [
  { id: 12, state: 'processing', grouping: 'team:a', input: 3, label: 'web' },
  { id: 11, state: 'failed', grouping: null, input: 2, label: 'for the web' },
  { id: 10, state: 'finished', grouping: 'team:a', input: 1, label: '$(x)' },
].map(({ id, state, grouping, input, label }) => ({
  job: {
    ...{ id, state, grouping },
    input_media_file: { id: input, url: `https://u:secret@h/a/film${id}.mov?key=secret` },
    output_media_files: [{ id: id + 100, label, state }],
  },
}));

/** Starts a service with three jobs for completions. It does not keep the process alive. */
export function startJobService(): Promise<Server> {
  return listening(
    createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(jobs));
    }),
  );
}

/** Starts a service that never answers. */
export function startSilentService(): Promise<Server> {
  return listening(createServer(() => {}));
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return server;
}

/** The environment that selects a service. */
export function envOf(server: Server): Readonly<Record<string, string>> {
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
}

/** Whether these programs are installed. Prints missing ones to stderr, because their tests are skipped. */
export function areInstalled(...programs: readonly string[]): boolean {
  const missing = programs.filter((name) => !(name === 'tmux' ? hasTmux() : has(name)));
  if (missing.length === 0) return true;
  process.stderr.write(
    `skipped, not installed: ${missing.join(', ')}; apt-get install ${missing.join(' ')}\n`,
  );
  return false;
}

function has(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
