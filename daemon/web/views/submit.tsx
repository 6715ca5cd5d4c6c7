/** @jsxImportSource hono/jsx */
import { safeText } from '../../../src/shared/text/safe-text.js';
import { humanPercent, humanRate, humanSize } from '../../../src/shared/text/units.js';

/** What the form begins with. */
export interface SubmitData {
  /** The name of the account: the uploads that a browser can continue belong to it. */
  readonly account: string;
}

/** A preset that can be chosen. */
interface PresetChoice {
  readonly name: string;
  readonly summary: string | null;
}

/** The form for new jobs. The script shows it, and adds the list of files. */
export function SubmitForm({ presets }: { readonly presets: readonly PresetChoice[] }) {
  return (
    <>
      <h1>Submit</h1>
      <noscript>
        <p class="warning">
          This form needs JavaScript. Without it, submit with the command <code>venc submit film.mov</code>.
        </p>
      </noscript>
      <form id="submit" class="submit" hidden>
        <section>
          <h2>Input</h2>
          <p>Drop files or folders anywhere onto this page, or choose them.</p>
          <div class="actions">
            <label class="choose">
              Choose files
              <input id="files" type="file" multiple />
            </label>
            <label class="choose">
              Choose a folder
              <input id="folder" type="file" {...{ webkitdirectory: true }} />
            </label>
          </div>
          <div id="found" role="status"></div>
          <label for="url">Or URLs of files, one on each line</label>
          <textarea
            id="url"
            rows={2}
            inputmode="url"
            spellcheck={false}
            autocomplete="off"
            placeholder="https://example.com/film.mov"
          ></textarea>
        </section>
        <section>
          <h2>Settings</h2>
          <label for="preset">Preset</label>
          <select id="preset">
            <option value="">None</option>
            {presets.map(({ name, summary }) => (
              <option key={name} value={name}>
                {summary === null ? name : `${name}: ${summary}`}
              </option>
            ))}
          </select>
          <label class="check">
            <input id="ladder" type="checkbox" /> Ladder of renditions for streaming (HLS)
          </label>
          <details id="more">
            <summary>More settings</summary>
            <div id="settings-form"></div>
            <label for="settings">More settings (JSON)</label>
            <textarea
              id="settings"
              rows={8}
              spellcheck={false}
              aria-describedby="settings-hint"
              placeholder={'{"outputs": [{"height": 720, "quality": 4}]}'}
            ></textarea>
            <p class="hint" id="settings-hint">
              The fields of a request to the REST API, without its input. They override those of the preset.
              The settings above show and change this JSON.
            </p>
          </details>
        </section>
        <div id="errors" role="alert" tabindex={-1}></div>
        <div class="actions">
          <button type="submit">Submit</button>
          <button type="button" id="plan">
            Show the plan
          </button>
        </div>
        <p class="hint">
          The plan says what the outputs will be, from the first and the last 2 MB of each file.
        </p>
      </form>
      <div id="plans"></div>
      <div id="uploads"></div>
    </>
  );
}

/** For a viewer, who cannot create jobs. */
export function ViewerSubmit() {
  return (
    <>
      <h1>Submit</h1>
      <p>A viewer key cannot submit jobs: sign in with a full key.</p>
    </>
  );
}

/** A file that was chosen, or a URL: what becomes of it. */
export interface Upload {
  readonly key: number;
  /** Its path in the folder that was chosen, or its name. */
  readonly path: string;
  readonly sizeBytes: number;
  /**
   * `ready`: waits for the form to be sent; `queued`: for its turn; `sending`: is uploaded; `creating`: its job is created;
   * `created`; `failed`: `message` says why, and what to do.
   */
  readonly state: 'ready' | 'queued' | 'sending' | 'creating' | 'created' | 'failed';
  readonly sentBytes: number;
  readonly bytesPerSecond: number | null;
  /** Why it waits or has failed; null without a reason. */
  readonly message: string | null;
  /** Whether another attempt can succeed. */
  readonly isRetryable: boolean;
  readonly jobId: number | null;
}

/** What the list of files shows. */
export interface UploadsState {
  readonly uploads: readonly Upload[];
  readonly bytesPerSecond: number | null;
}

/** What can be done with the files. */
export interface UploadActions {
  readonly remove: (upload: Upload) => void;
  readonly retry: (upload: Upload) => void;
  /** Ends all uploads that are not over. */
  readonly cancelAll: () => void;
  /** Removes the files that have a job. */
  readonly clear: () => void;
}

/** The files that were chosen, with the progress of each and of all. */
export function Uploads({
  uploads,
  bytesPerSecond,
  root,
  actions,
}: UploadsState & { readonly root: string; readonly actions: UploadActions }) {
  if (uploads.length === 0) return null;
  const active = uploads.filter(isUnderWay);
  const created = uploads.filter(({ state }) => state === 'created');
  return (
    <section>
      <h2 id="uploads-title" tabindex={-1}>
        Files
      </h2>
      <p role="status">{countsText(uploads)}</p>
      {active.length === 0 ? null : <Total uploads={uploads} bytesPerSecond={bytesPerSecond} />}
      <div class="actions">
        {active.length < 2 ? null : (
          <button type="button" onClick={() => actions.cancelAll()}>
            Cancel all
          </button>
        )}
        {created.length === 0 ? null : (
          <button type="button" onClick={() => actions.clear()}>
            Remove those with a job from this list
          </button>
        )}
      </div>
      <ul class="uploads">
        {uploads.map((upload) => (
          <UploadRow key={String(upload.key)} upload={upload} root={root} actions={actions} />
        ))}
      </ul>
    </section>
  );
}

/** Whether a file is uploaded or about to be, so that leaving the page would stop it. */
export function isUnderWay({ state }: Pick<Upload, 'state'>): boolean {
  return state === 'queued' || state === 'sending' || state === 'creating';
}

const stateNames = [
  ['created', 'submitted'],
  ['sending', 'being uploaded'],
  ['creating', 'complete, without a job yet'],
  ['queued', 'waiting'],
  ['ready', 'to submit'],
  ['failed', 'failed'],
] as const;

/** How many files there are in each state: `3 submitted, 2 being uploaded, 495 waiting`. */
function countsText(uploads: readonly Upload[]): string {
  return stateNames
    .map(([state, name]) => [uploads.filter((one) => one.state === state).length, name] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}

function Total({ uploads, bytesPerSecond }: UploadsState) {
  const counted = uploads.filter((one) => isUnderWay(one) || one.state === 'created');
  const [total, sent] = [sumOf(counted, 'sizeBytes'), sumOf(counted, 'sentBytes')];
  const percent = total === 0 ? 100 : (sent / total) * 100;
  return (
    <p class="progress-line">
      <progress max={100} value={percent} aria-label="All uploads" />
      <br />
      {humanPercent(percent)} of {humanSize(total)}
      {bytesPerSecond === null ? '' : `, ${humanRate(bytesPerSecond)}`}
    </p>
  );
}

function sumOf(uploads: readonly Upload[], name: 'sizeBytes' | 'sentBytes'): number {
  return uploads.reduce((sum, upload) => sum + upload[name], 0);
}

function UploadRow({
  upload,
  root,
  actions,
}: {
  readonly upload: Upload;
  readonly root: string;
  readonly actions: UploadActions;
}) {
  const { path, sizeBytes, state, sentBytes, bytesPerSecond, message, jobId } = upload;
  const name = safeText(path);
  const percent = sizeBytes === 0 ? 0 : (sentBytes / sizeBytes) * 100;
  const isSending = state === 'sending';
  return (
    <li class={`upload is-${classOf[state]}`}>
      <span class="name">
        <bdi>{name}</bdi> <span class="hint">{humanSize(sizeBytes)}</span>
      </span>
      <span class="state">
        {jobId === null ? stateTexts[state] : <a href={`${root}jobs/${jobId}`}>Job {jobId}</a>}
      </span>
      <span class="actions">
        {state === 'failed' && upload.isRetryable ? (
          <button type="button" onClick={() => actions.retry(upload)} aria-label={`Try ${name} again`}>
            Try again
          </button>
        ) : null}
        {state === 'created' || state === 'creating' ? null : (
          <button
            type="button"
            onClick={() => actions.remove(upload)}
            aria-label={`${isUnderWay(upload) ? 'Cancel' : 'Remove'} ${name}`}
          >
            {isUnderWay(upload) ? 'Cancel' : 'Remove'}
          </button>
        )}
      </span>
      {isSending ? (
        <span class="bar">
          <progress max={100} value={percent} aria-label={`Upload of ${name}`} />
          <span>
            {humanPercent(percent)}
            {bytesPerSecond === null ? '' : ` ${humanRate(bytesPerSecond)}`}
          </span>
        </span>
      ) : null}
      {message === null ? null : <span class="message">{message}</span>}
    </li>
  );
}

const stateTexts: Readonly<Record<Upload['state'], string>> = {
  ready: 'ready',
  queued: 'waiting',
  sending: 'uploading',
  creating: 'creating the job',
  created: 'submitted',
  failed: 'failed',
};

/** The classes of the states, which the jobs have as well. */
const classOf: Readonly<Record<Upload['state'], string>> = {
  ready: 'waiting',
  queued: 'waiting',
  sending: 'processing',
  creating: 'processing',
  created: 'finished',
  failed: 'failed',
};
