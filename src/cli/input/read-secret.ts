import { VencError } from '../../shared/errors.js';
import type { Io } from '../terminal/io.js';

/**
 * Reads a secret in one line from stdin; on a terminal it prompts and does not echo. Rejects with `InterruptedError`
 * after Ctrl-C.
 */
export async function readSecret(io: Io, question: string): Promise<string> {
  if (!io.isTerminal.stdin) return (await readLines(io.stdin(), 1))[0] ?? '';
  return ask(io, question, false);
}

/**
 * Reads a user and a secret from stdin, one per line; on a terminal it prompts for both and does not echo the secret.
 * Missing ones are empty. Rejects with `InterruptedError` after Ctrl-C.
 */
export async function readUserAndSecret(io: Io): Promise<{ readonly user: string; readonly secret: string }> {
  if (!io.isTerminal.stdin) {
    const [user = '', secret = ''] = await readLines(io.stdin(), 2);
    return { user, secret };
  }
  const user = await ask(io, 'User or access key: ', true);
  return { user: user.trim(), secret: await ask(io, 'Password or secret: ', false) };
}

async function ask(io: Io, question: string, hasEcho: boolean): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ]);
  io.writeStderr(question);
  // Discards the echo of a secret.
  const write = (chunk: unknown) => (hasEcho ? io.writeStderr(String(chunk)) : undefined);
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: io.stdin(), output, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new VencError('InterruptedError', 'Interrupted.')));
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    io.writeStderr('\n');
  }
}

/** Maximum length to read: no key is longer, and a stream may never end. */
const maxBytes = 65_536;

async function readLines(stream: NodeJS.ReadStream, count: number): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    text += String(chunk);
    if (text.split('\n').length > count || text.length > maxBytes) break;
  }
  return text
    .split(/\r?\n/)
    .slice(0, count)
    .map((line) => line.trim());
}
