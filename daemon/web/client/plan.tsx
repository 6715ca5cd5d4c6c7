/** @jsxImportSource hono/jsx */
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { UploadPlan } from '../../dry-run/describe-plan.js';
import type { ChosenFile } from './dropped-files.js';
import { mount } from './mount.js';
import { Plans, type PlansState } from './plan-view.js';
import { ask, NoAnswerError } from './transfer.js';
import { sleep } from './upload-file.js';

/** How much of the start of a file is read, and how much of its end, in bytes, as the daemon expects it. */
const partBytes = 2 * 1024 * 1024;
/** Files that are planned at once: a list of more is no longer short. */
const maxFiles = 20;
/** URLs that are named: of more, only the number is shown. */
const maxUrls = 5;
/** Requests for a plan while the daemon makes others. */
const attempts = 10;

const nothing: PlansState = { files: [], notes: [], progress: null };

/** Shows what becomes of files before they are uploaded. */
export class PlanList {
  readonly #update: (state: PlansState) => void;
  #state = nothing;
  #controller = new AbortController();

  constructor(container: HTMLElement) {
    this.#update = mount<PlansState>(container, Plans, nothing);
  }

  /** Removes the plans, which no longer are what would happen. */
  clear(): void {
    this.#controller.abort();
    if (this.#state !== nothing) this.#draw(nothing);
  }

  /** Plans files, one after the other. Resolves when all are planned or cleared. */
  async show(request: RequestFields, files: readonly ChosenFile[], urls: readonly string[]): Promise<void> {
    this.#controller.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    const chosen = files.slice(0, maxFiles);
    const notes = [
      ...(files.length > maxFiles ? [`The first ${maxFiles} of ${files.length} files are planned.`] : []),
      ...(urls.length > maxUrls
        ? [`${urls.length} URLs: what becomes of them is known when the daemon has downloaded them.`]
        : urls.map((url) => `${url}: what becomes of it is known when the daemon has downloaded it.`)),
    ];
    this.#draw({ ...nothing, notes });
    for (const [key, file] of chosen.entries()) {
      const shown = { key, name: file.path, plan: null, problem: null };
      const before = this.#state.files;
      this.#draw({ files: before, notes, progress: { number: key + 1, count: chosen.length } });
      const found = await planFile(request, file.file, signal);
      if (signal.aborted) return;
      this.#draw({ files: [...before, { ...shown, ...found }], notes, progress: null });
    }
    document.querySelector<HTMLElement>('#plans-title')?.focus();
  }

  #draw(state: PlansState): void {
    this.#state = state;
    this.#update(state);
  }
}

/** The plan of a file, or why there is none. */
async function planFile(
  request: RequestFields,
  file: File,
  signal: AbortSignal,
): Promise<{ readonly plan: UploadPlan } | { readonly problem: string }> {
  try {
    const head = await base64Of(file.slice(0, partBytes));
    const tail = await base64Of(file.slice(Math.max(partBytes, file.size - partBytes)));
    const body = JSON.stringify({ request, size: file.size, head, tail });
    for (let count = 1; ; count += 1) {
      const answer = await ask({
        ...{ method: 'POST', path: 'plan', body, signal },
        headers: { 'Content-Type': 'application/json' },
      });
      if (answer.status === 200 && isObject(answer.body))
        return { plan: answer.body as unknown as UploadPlan };
      if (answer.status === 401) return { problem: 'The session has ended. Sign in again in another tab.' };
      if (answer.status !== 429 || count >= attempts) return { problem: answer.messages.join(' ') };
      await sleep((answer.retryAfterSeconds ?? 1) * 1000, signal);
    }
  } catch (error) {
    if (error instanceof NoAnswerError) return { problem: 'The daemon does not answer. Try again.' };
    return { problem: 'The file cannot be read: it was changed or removed. Choose it again.' };
  }
}

/** A part of a file in base64. Rejects if it cannot be read. */
function base64Of(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(part);
  });
}
