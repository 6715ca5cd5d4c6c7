import { VencError } from '../../shared/errors.js';
import type { Io } from '../terminal/io.js';

/**
 * A secret in one line, from stdin, or from a person who types it unseen where stdin is a terminal. Rejects with
 * `InterruptedError` after Ctrl-C.
 */
export async function readSecret(io: Io, question: string): Promise<string> {
  if (!io.isTerminal.stdin) return firstLine(io.stdin);
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ]);
  io.writeStderr(question);
  // What is typed is echoed to nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 });
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

/** No key is longer; and a stream without an end is not read to it. */
const longestBytes = 65_536;

async function firstLine(stream: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    text += String(chunk);
    if (text.includes('\n') || text.length > longestBytes) break;
  }
  return (text.split(/\r?\n/, 1)[0] ?? '').trim();
}
