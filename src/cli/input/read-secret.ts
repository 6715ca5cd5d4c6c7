import { VencError } from '../../shared/errors.js';
import type { Io } from '../terminal/io.js';

/**
 * Reads a secret in one line from stdin; on a terminal it prompts and does not echo. Rejects with `InterruptedError`
 * after Ctrl-C.
 */
export async function readSecret(io: Io, question: string): Promise<string> {
  if (!io.isTerminal.stdin) return firstLine(io.stdin);
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline'),
    import('node:stream'),
  ]);
  io.writeStderr(question);
  // Discards the echo.
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

/** Maximum length to read: no key is longer, and a stream may never end. */
const maxBytes = 65_536;

async function firstLine(stream: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    text += String(chunk);
    if (text.includes('\n') || text.length > maxBytes) break;
  }
  return (text.split(/\r?\n/, 1)[0] ?? '').trim();
}
