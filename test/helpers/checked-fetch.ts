import { appendFileSync } from 'node:fs';
import type { GivenAnswer } from './answer-check.js';

const origins = new Set<string>();
let isInstalled = false;

/**
 * From now on every answer that `fetch` gets from this address is checked against the OpenAPI document; the fetch of one that is not as
 * told rejects, and so fails its test. Gives what ends that.
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
    if (!origins.has(new URL(url).origin)) return response;
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    // Loaded when the first answer is there: what starts no daemon has no use for it.
    const { checkAnswer } = await import('./answer-check.js');
    const { status, headers } = response;
    const given: GivenAnswer = { method, url, status, headers, body: await bodyOf(response) };
    try {
      note(checkAnswer(given));
    } catch (error) {
      await response.body?.cancel();
      throw error;
    }
    return response;
  };
}

/** Files may be long and event streams without end: of these the head alone is looked at. */
async function bodyOf(response: Response): Promise<string | null> {
  const type = response.headers.get('content-type') ?? '';
  const isText = /^(?:application\/(?:json|xml|javascript)|text\/html)/.test(type) || type === '';
  return isText ? response.clone().text() : null;
}

/** Writes down what was seen, one line each, where `VENC_COVERAGE_FILE` names a file for it: see coverage-table.ts. */
function note(seen: ReturnType<typeof import('./answer-check.js')['checkAnswer']>): void {
  const file = process.env.VENC_COVERAGE_FILE;
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(seen)}\n`);
}
