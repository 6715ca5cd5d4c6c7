import { inputNameOf } from '../../../src/shared/settings/input-files.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { isUnderWay, type Upload } from '../views/submit.js';
import type { ChosenFile } from './dropped-files.js';
import { newToken, type SavedUploads } from './saved-uploads.js';
import { type Answer, ask, NoAnswerError } from './transfer.js';
import { cancelUpload, FileUpload, nameProblem, sleep, UploadError } from './upload-file.js';

/** Files that are uploaded at the same time. */
const maxSending = 2;
/** Requests for the job of an uploaded file before it is given up. */
const attemptsOfUpload = 10;
const retryMs = 2000;

/** A job was rejected, for the reasons that the daemon gave. */
export class RejectedError extends Error {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.join(' '));
    this.messages = messages;
  }
}

/** A file, its upload, and the request for its job. */
interface Item {
  readonly file: File;
  upload: Upload;
  request: RequestFields;
  token: string | null;
  /** The URL of the complete file. */
  url: string | null;
  controller: AbortController;
}

/** The files that were chosen: uploads some at a time, and creates a job for each. */
export class UploadQueue {
  readonly #saved: SavedUploads;
  readonly #onChange: () => void;
  #items: readonly Item[] = [];
  #lastKey = 0;

  constructor(saved: SavedUploads, onChange: () => void) {
    this.#saved = saved;
    this.#onChange = onChange;
  }

  uploads(): readonly Upload[] {
    return this.#items.map(({ upload }) => upload);
  }

  /**
   * Adds files that wait for the form, in place of those that have failed. Returns how many are in the list already, and
   * are not added again.
   */
  add(files: readonly ChosenFile[]): number {
    const waiting = this.#items.filter(
      ({ upload }) => upload.state !== 'created' && upload.state !== 'failed',
    );
    const known = new Set(waiting.map(({ upload, file }) => idOf(upload.path, file)));
    const added = files.filter(({ path, file }) => !known.has(idOf(path, file)));
    const paths = new Set(added.map(({ path }) => path));
    const kept = this.#items.filter(({ upload }) => upload.state !== 'failed' || !paths.has(upload.path));
    this.#items = [...kept, ...added.map((one) => this.#create(one))];
    this.#onChange();
    return files.length - added.length;
  }

  /** Uploads all files that wait for the form, and those whose job was rejected. Returns how many there are. */
  start(request: RequestFields): number {
    const ready = this.#items.filter(({ upload }) => upload.state === 'ready');
    for (const item of ready) {
      item.request = request;
      this.#change(item, { state: 'queued', message: null });
    }
    this.#fill();
    return ready.length;
  }

  /** The files that wait for the form. */
  ready(): readonly ChosenFile[] {
    return this.#items
      .filter(({ upload }) => upload.state === 'ready')
      .map(({ file, upload }) => ({ file, path: upload.path }));
  }

  retry({ key }: Upload): void {
    const item = this.#items.find(({ upload }) => upload.key === key);
    if (item === undefined) return;
    this.#change(item, { state: 'queued', message: null });
    this.#fill();
  }

  /** Removes a file from the list; ends its upload, and removes what the daemon has of it. */
  remove({ key }: Upload): void {
    const item = this.#items.find(({ upload }) => upload.key === key);
    if (item === undefined) return;
    this.#items = this.#items.filter((one) => one !== item);
    this.#cancel(item);
    this.#onChange();
    this.#fill();
  }

  /** Removes all files that are uploaded, or wait for that. */
  cancelAll(): void {
    const ended = this.#items.filter(({ upload }) => upload.state === 'queued' || upload.state === 'sending');
    this.#items = this.#items.filter((one) => !ended.includes(one));
    for (const item of ended) this.#cancel(item);
    this.#onChange();
  }

  /** Removes the files that have a job from the list. */
  clear(): void {
    this.#items = this.#items.filter(({ upload }) => upload.state !== 'created');
    this.#onChange();
  }

  isUnderWay(): boolean {
    return this.#items.some(({ upload }) => isUnderWay(upload));
  }

  #create({ file, path }: ChosenFile): Item {
    this.#lastKey += 1;
    const problem =
      file.size === 0
        ? 'It is empty: it has 0 bytes. Check the file, and choose it again when it is complete.'
        : nameProblem(file);
    const upload: Upload = {
      ...{ key: this.#lastKey, path, sizeBytes: file.size, sentBytes: 0, bytesPerSecond: null, jobId: null },
      ...{ state: problem === null ? 'ready' : 'failed', message: problem, isRetryable: false },
    };
    return { file, upload, request: {}, token: null, url: null, controller: new AbortController() };
  }

  #cancel({ controller, file, token, upload, url }: Item): void {
    controller.abort();
    if (upload.state === 'created') return;
    this.#saved.forget(upload.path, file);
    if (token !== null && url === null) void cancelUpload(file, token);
  }

  #change(item: Item, change: Partial<Upload>): void {
    item.upload = { ...item.upload, ...change };
    this.#onChange();
  }

  /** Begins uploads as far as some may be added. */
  #fill(): void {
    const busy = this.#items.filter(({ upload }) => ['sending', 'creating'].includes(upload.state)).length;
    const queued = this.#items.filter(({ upload }) => upload.state === 'queued');
    for (const item of queued.slice(0, Math.max(0, maxSending - busy))) void this.#run(item);
  }

  async #run(item: Item): Promise<void> {
    const { file } = item;
    const { signal } = item.controller;
    const { path } = item.upload;
    try {
      this.#change(item, { state: 'sending', message: null });
      const { token, isContinued } = this.#saved.tokenOf(path, file);
      item.token = token;
      item.url ??= await new FileUpload(file, {
        ...{ token, isContinued, signal },
        report: ({ sentBytes, message }) =>
          this.#change(item, { sentBytes: sentBytes ?? item.upload.sentBytes, message }),
      }).run();
      this.#change(item, { state: 'creating', sentBytes: file.size, message: null });
      const request = { input_name: inputNameOf(path), ...item.request, input: item.url };
      const jobId = await createJob(request, signal);
      this.#saved.forget(path, file);
      this.#change(item, { state: 'created', jobId });
    } catch (error) {
      if (signal.aborted) return;
      this.#change(item, { ...failureOf(error), bytesPerSecond: null });
    }
    this.#fill();
  }
}

function idOf(path: string, { size, lastModified }: File): string {
  return JSON.stringify([path, size, lastModified]);
}

function failureOf(error: unknown): Partial<Upload> {
  // With other settings, the form can be sent again.
  if (error instanceof RejectedError)
    return { state: 'ready', message: `${error.message} Change the settings, and submit again.` };
  const message = error instanceof Error ? error.message : String(error);
  return { state: 'failed', message, isRetryable: !(error instanceof UploadError) || error.isRetryable };
}

/**
 * Creates a job, and resolves to its id. It is created once, also if the answer is lost. Rejects with `RejectedError` for
 * a request that is not valid, and with `UploadError` otherwise.
 */
export async function createJob(
  request: RequestFields,
  signal: AbortSignal,
  maxAttempts = attemptsOfUpload,
): Promise<number> {
  const idempotencyKey = newToken();
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await ask({
        ...{ method: 'POST', path: 'jobs', body: JSON.stringify(request), signal },
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
      });
      const { status, messages, retryAfterSeconds } = answer;
      if (status < 300) return idIn(answer);
      if (status === 422 || status === 400) throw new RejectedError(messages);
      if (status === 401)
        throw new UploadError(
          'The session has ended. Sign in again in another tab, and then try again.',
          true,
        );
      const isBusy = status === 429 || status >= 500;
      if (!isBusy || retryAfterSeconds === null || failures >= maxAttempts)
        throw new UploadError(messages.join(' '), true);
      await sleep(retryAfterSeconds * 1000, signal);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      if (failures >= maxAttempts) throw new UploadError('The daemon does not answer.', true);
      await sleep(retryMs, signal);
    }
  }
}

function idIn({ body }: Answer): number {
  return isObject(body) ? Number(body.id) : 0;
}
