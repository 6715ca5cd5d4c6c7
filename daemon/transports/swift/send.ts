import type { Readable } from 'node:stream';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf, connectionTrouble, finalTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { Watched } from '../../transfer/with-retry.js';
import type { GuardedAgent } from '../http/agent.js';
import type { HttpAnswer } from '../http/send-request.js';
import type { SwiftAnswer } from './answers.js';

/** One request. */
export interface SwiftRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly origin: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable | null;
}

/** Answers that are no files are short; a server that goes on for ever is not listened to. */
const maxAnswerBytes = 16 << 20;

/** Makes one request and reads its answer. Redirects are answers. Rejects only when the signal is aborted. */
export async function send(
  agent: GuardedAgent,
  { origin, path, method, headers, body = null }: SwiftRequest,
  { signal, alive }: Watched,
  direction: Direction,
): Promise<SwiftAnswer | Trouble> {
  const { host } = new URL(origin);
  try {
    const answer = await agent.request({
      origin,
      path,
      method,
      body,
      signal,
      headers: { 'user-agent': 'venc', ...headers },
    });
    alive();
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      alive();
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes > maxAnswerBytes)
        return finalTrouble(classOf('failure', direction), `${host} answered without end.`);
    }
    return {
      status: answer.statusCode,
      headers: plain(answer.headers),
      text: Buffer.concat(pieces).toString('utf8'),
    };
  } catch (error) {
    signal.throwIfAborted();
    return connectionTrouble(error, host, direction);
  }
}

/** Whether an answer is one, and no trouble. */
export function isAnswer(answer: SwiftAnswer | Trouble): answer is SwiftAnswer {
  return 'status' in answer;
}

function plain(headers: HttpAnswer['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const one = typeof value === 'string' ? value : value?.[0];
      return one === undefined ? [] : [[name, one]];
    }),
  );
}
