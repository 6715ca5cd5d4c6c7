import { appendFileSync } from 'node:fs';
import type { GivenAnswer } from './answer-check.js';

const origins = new Set<string>();
let isInstalled = false;

/**
 * From now on, checks every response that `fetch` gets from this origin against the OpenAPI document. The fetch of a response that does
 * not match rejects, which fails the test. Returns a function that ends the checks.
 */
export function checkAnswersOf(url: string): () => void {
  const { origin } = new URL(url);
  origins.add(origin);
  install();
  return () => origins.delete(origin);
}

function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  const plainFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plainFetch(input, init);
    const url = input instanceof Request ? input.url : String(input);
    const { origin, pathname } = new URL(url);
    // The OpenAPI document does not describe the page.
    if (!origins.has(origin) || /^\/ui(?:\/|$)/.test(pathname)) return response;
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    // Loaded with the first response, because tests without a daemon do not need it.
    const { checkAnswer } = await import('./answer-check.js');
    const { status, headers } = response;
    const given: GivenAnswer = { method, url, status, headers, body: await bodyOf(response) };
    try {
      record(checkAnswer(given));
    } catch (error) {
      await response.body?.cancel();
      throw error;
    }
    return response;
  };
}

/** Reads the body of a text response. Files may be long and event streams are endless, so only their headers are checked. */
async function bodyOf(response: Response): Promise<string | null> {
  const type = response.headers.get('content-type') ?? '';
  const isText = /^(?:application\/(?:json|xml|javascript)|text\/html)/.test(type) || type === '';
  return isText ? response.clone().text() : null;
}

/** Appends a response to the file that `VENC_COVERAGE_FILE` names, if any, one line each. See coverage-table.ts. */
function record(seen: ReturnType<typeof import('./answer-check.js')['checkAnswer']>): void {
  const file = process.env.VENC_COVERAGE_FILE;
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(seen)}\n`);
}
