import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import * as assert from 'uvu/assert';
import type { TestDaemon } from './daemon.js';

/** An answer, and the cookie that it sets. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  readonly cookie: string | null;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly cookie?: string | null;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** A request with exactly these headers, which `fetch` would not send. */
export function ask({ url }: Pick<TestDaemon, 'url'>, path: string, init: Init = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, cookie = null, signal } = init;
  const all = { ...headers, ...(cookie === null ? {} : { Cookie: cookie }) };
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = { hostname, port, path, method, headers: all, agent: false, ...(signal && { signal }) };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const [set = null] = response.headers['set-cookie'] ?? [];
        const { statusCode: status = 0, headers: answered } = response;
        const bytes = Buffer.concat(chunks);
        const cookie = set?.split(';')[0] ?? null;
        resolve({ status, headers: answered, bytes, text: bytes.toString(), cookie });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** What a browser says of a request by a page of the same origin. */
export const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' };
/** The type of a form. */
export const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
/** The headers of a request by a script of the page. */
export const byScript = { ...sameOrigin, 'X-Venc': '1' };

/** Signs in with a key. */
export function signIn(
  daemon: Pick<TestDaemon, 'url'>,
  key: string,
  headers: Readonly<Record<string, string>> = sameOrigin,
): Promise<Answer> {
  const body = new URLSearchParams({ key }).toString();
  return ask(daemon, '/ui/sign-in', { method: 'POST', headers: { ...formType, ...headers }, body });
}

/** The cookie of a new session with a key. */
export async function cookieOf(daemon: Pick<TestDaemon, 'url'>, key: string): Promise<string> {
  const { cookie, status, text } = await signIn(daemon, key);
  assert.is(status, 303, text);
  return cookie ?? '';
}

/** What a session shows that a link made with a key has begun. None for a key of a kind that makes no links. */
export async function textsByLink(daemon: Pick<TestDaemon, 'url'>, key: string): Promise<readonly string[]> {
  const headers = { 'Service-Api-Key': key };
  const { status, text } = await ask(daemon, '/v2/ui/links', { method: 'POST', headers });
  if (status === 403) return [];
  const code = new URL((JSON.parse(text) as { url: string }).url).searchParams.get('code') ?? '';
  const form = { method: 'POST', headers: { ...formType, ...sameOrigin }, body: `code=${code}` };
  const { cookie } = await ask(daemon, '/ui/open', form);
  const paths = ['/ui/', '/ui/settings', '/ui/api/settings', '/ui/api/jobs'];
  const shown = await Promise.all(paths.map((path) => ask(daemon, path, { cookie })));
  for (const answer of shown) assert.is(answer.status, 200, answer.text);
  return shown.map((answer) => answer.text);
}
