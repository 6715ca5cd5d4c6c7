import { connect, type Socket } from 'node:net';

/** A response as received. */
interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a raw connection to a daemon, for requests that no HTTP client would send. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Sends a text and resolves to everything received until the connection closes. */
export function rawRequest(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(url);
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
    socket.write(text);
  });
}

/** Sends pipelined requests and reads their responses. `isHead` marks the requests whose responses have no body. */
export async function pipelined(
  url: string,
  requests: readonly string[],
  isHead: (index: number) => boolean = () => false,
): Promise<readonly RawResponse[]> {
  const socket = connectTo(url);
  socket.write(requests.join(''));
  const answers: RawResponse[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = 0; end !== -1; ) {
      const answer = readAnswer(rest, isHead(answers.length));
      end = answer?.end ?? -1;
      if (answer === null) break;
      answers.push(answer.answer);
      rest = rest.subarray(answer.end);
    }
    if (answers.length === requests.length) break;
  }
  socket.destroy();
  return answers;
}

function readAnswer(
  bytes: Buffer,
  isHead: boolean,
): { readonly answer: RawResponse; readonly end: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const start = headEnd + 4;
  const end = start + (isHead ? 0 : Number(headers['content-length'] ?? 0));
  if (bytes.length < end) return null;
  const answer = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: bytes.toString('utf8', start, end),
  };
  return { answer, end };
}
