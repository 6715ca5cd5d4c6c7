/** @jsxImportSource hono/jsx */
import { withoutPassword } from '../../../src/shared/redact.js';
import { placeholderInput } from '../../../src/shared/settings/input-files.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { safeText } from '../../../src/shared/text/safe-text.js';
import { type SubmitData, type Upload, Uploads, type UploadsState } from '../views/submit.js';
import { root } from './call.js';
import { type ChosenFiles, filesOfDrop, filesOfField } from './dropped-files.js';
import { mount } from './mount.js';
import type { PlanList } from './plan.js';
import { Rates } from './rates.js';
import { SavedUploads } from './saved-uploads.js';
import type { SettingsForm } from './settings-form.js';
import { type FormRequest, requestOfForm } from './submit-request.js';
import { UploadError } from './upload-file.js';
import { createJob, RejectedError, UploadQueue } from './upload-queue.js';
import { createUrlJobs, type UrlOutcome, urlsOf } from './url-jobs.js';

/** The list is drawn at most this often, in milliseconds. */
const drawMs = 250;
/** How often the form says how many jobs were created, in milliseconds. */
const progressMs = 1000;
/** Created jobs, and errors, that are listed: of more, only the number is shown. */
const maxOutcomes = 20;
/** Names of files that a note lists. */
const maxListed = 5;

/** What is wrong with the form, and the jobs that it has created from URLs. */
type Outcome = UrlOutcome;

const noOutcome: Outcome = { errors: [], jobIds: [] };

/** Shows the form for new jobs. */
export function showSubmit({ account }: SubmitData): void {
  const form = document.querySelector<HTMLFormElement>('#submit');
  if (form !== null) new SubmitPage(form, account).start();
}

class SubmitPage {
  readonly #form: HTMLFormElement;
  readonly #saved: SavedUploads;
  readonly #queue: UploadQueue;
  readonly #rates = new Rates();
  #isDrawing = false;
  #isSubmitting = false;
  /** Whether jobs for URLs are created. */
  #isCreating = false;
  /** Loaded when it is opened: it has all settings. */
  #settings: SettingsForm | null = null;
  #plans: PlanList | null = null;
  #drawUploads: (state: UploadsState) => void = () => {};
  #drawErrors: (state: Outcome) => void = () => {};
  #drawFound: (state: { readonly notes: readonly string[] }) => void = () => {};

  constructor(form: HTMLFormElement, account: string) {
    this.#form = form;
    this.#saved = new SavedUploads(account);
    this.#queue = new UploadQueue(this.#saved, () => this.#schedule());
  }

  start(): void {
    const actions = {
      remove: (upload: Upload) => {
        this.#queue.remove(upload);
        this.#focusList();
      },
      retry: (upload: Upload) => {
        this.#queue.retry(upload);
        this.#focusList();
      },
      cancelAll: () => {
        this.#queue.cancelAll();
        this.#focusList();
      },
      clear: () => {
        this.#queue.clear();
        this.#focusList();
      },
    };
    this.#drawUploads = mount<UploadsState>(
      elementOf('#uploads'),
      (state) => <Uploads {...state} root={root} actions={actions} />,
      { uploads: [], bytesPerSecond: null },
    );
    this.#drawErrors = mount<Outcome>(
      elementOf('#errors'),
      (outcome) => <OutcomeView {...outcome} settings={this.#settings} />,
      { errors: [], jobIds: [] },
    );
    this.#drawFound = mount<{ readonly notes: readonly string[] }>(elementOf('#found'), Notes, {
      notes: this.#unfinishedNotes(),
    });
    this.#form.hidden = false;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    elementOf('#plan').addEventListener('click', () => void this.#plan());
    // Another form has another plan.
    for (const type of ['input', 'change'])
      this.#form.addEventListener(type, ({ target }) => {
        if (target instanceof Element && target.closest('.form-head') === null) this.#plans?.clear();
      });
    for (const id of ['#files', '#folder']) {
      const field = elementOf<HTMLInputElement>(id);
      const take = () => {
        if (field.files?.length === 0) return;
        this.#add(filesOfField(field));
        // The same files can be chosen again.
        field.value = '';
      };
      field.addEventListener('change', take);
      // They may have been chosen before this script was loaded.
      take();
    }
    this.#acceptDrops();
    const more = elementOf<HTMLDetailsElement>('#more');
    more.addEventListener('toggle', () => void this.#openSettings());
    // A browser may restore what was typed, which would apply unseen.
    if (elementOf<HTMLTextAreaElement>('#settings').value.trim() !== '') more.open = true;
    if (more.open) void this.#openSettings();
    addEventListener('beforeunload', (event) => {
      if (this.#isCreating || this.#queue.isUnderWay()) event.preventDefault();
    });
  }

  async #openSettings(): Promise<void> {
    if (this.#settings !== null) return;
    try {
      const { SettingsForm } = await import('./settings-form.js');
      this.#settings ??= new SettingsForm(
        elementOf('#settings-form'),
        elementOf<HTMLTextAreaElement>('#settings'),
        elementOf<HTMLSelectElement>('#preset'),
      );
    } catch {
      elementOf('#settings-form').textContent =
        'The settings could not be loaded. Load the page again, or write them as JSON.';
    }
  }

  #acceptDrops(): void {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    const mark = (isOver: boolean) => document.body.classList.toggle('is-dropping', isOver);
    document.addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(true);
    });
    document.addEventListener('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) mark(false);
    });
    document.addEventListener('drop', (event) => {
      mark(false);
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void filesOfDrop(event.dataTransfer).then((chosen) => this.#add(chosen));
    });
  }

  #add({ files, notes }: ChosenFiles): void {
    this.#plans?.clear();
    const repeated = this.#queue.add(files);
    const added = files.length - repeated;
    this.#drawFound({
      notes: [
        `Added ${added} ${added === 1 ? 'file' : 'files'}.`,
        ...(repeated === 0 ? [] : [`${repeated} ${repeated === 1 ? 'is' : 'are'} in the list already.`]),
        ...notes,
        ...(added === 0 ? [] : ['Submit begins their upload.']),
      ],
    });
  }

  /** What to do about uploads that a reload has stopped. */
  #unfinishedNotes(): readonly string[] {
    const paths = this.#saved.paths();
    if (paths.length === 0) return [];
    const named = paths.slice(0, maxListed).map((path) => safeText(path));
    const rest = paths.length > maxListed ? ` and ${paths.length - maxListed} others` : '';
    return [`Not complete: ${named.join(', ')}${rest}. Choose the same files again to continue.`];
  }

  #submit(): Promise<void> {
    return this.#exclusively(async (request) => {
      this.#plans?.clear();
      const created = await this.#createFromUrls(request);
      // The files wait until the rest of the form is right.
      if (created.errors.length === 0) this.#queue.start(request);
      return created;
    });
  }

  /** Shows what the files become, without uploading them. */
  #plan(): Promise<void> {
    return this.#exclusively(async (request) => {
      const { PlanList } = await import('./plan.js');
      this.#plans ??= new PlanList(elementOf('#plans'));
      this.#show(noOutcome);
      await this.#plans.show(request, this.#queue.ready(), urlsOf(this.#urlField()).map(withoutPassword));
      return noOutcome;
    });
  }

  /** Checks the form, and does something with its request, one at a time. Shows what is wrong. */
  async #exclusively(work: (request: RequestFields) => Promise<Outcome>): Promise<void> {
    if (this.#isSubmitting) return;
    this.#isSubmitting = true;
    try {
      const built = await this.#build();
      this.#show('errors' in built ? { ...noOutcome, errors: built.errors } : await work(built.request));
    } catch {
      this.#show({ ...noOutcome, errors: ['The daemon does not answer. Try again.'] });
    } finally {
      this.#isSubmitting = false;
    }
  }

  /** The request of the form, which the daemon has checked, or what is wrong with it. */
  async #build(): Promise<FormRequest> {
    if (urlsOf(this.#urlField()).length === 0 && this.#queue.ready().length === 0)
      return { errors: ['Choose a file, drop one onto this page, or give a URL.'] };
    try {
      const built = await requestOfForm({
        preset: elementOf<HTMLSelectElement>('#preset').value,
        hasLadder: elementOf<HTMLInputElement>('#ladder').checked,
        more: elementOf<HTMLTextAreaElement>('#settings').value,
      });
      if ('errors' in built) return built;
      const { signal } = new AbortController();
      // A request that is not valid is rejected before its files are uploaded.
      await createJob({ ...built.request, input: placeholderInput, mock: true }, signal, 1);
      return built;
    } catch (error) {
      return { errors: messagesOf(error) };
    }
  }

  #urlField(): HTMLTextAreaElement {
    return elementOf<HTMLTextAreaElement>('#url');
  }

  /** Creates a job for each URL, and says how far it is. */
  async #createFromUrls(request: RequestFields): Promise<Outcome> {
    let drawnAt = Date.now();
    this.#isCreating = true;
    try {
      return await createUrlJobs(this.#urlField(), request, (done, count) => {
        if (Date.now() - drawnAt < progressMs) return;
        drawnAt = Date.now();
        this.#drawFound({ notes: [`Created jobs for ${done} of ${count} URLs.`] });
      });
    } finally {
      this.#isCreating = false;
      this.#drawFound({ notes: [] });
    }
  }

  #show(outcome: Outcome): void {
    // The outputs of a ladder are not those of the form.
    this.#settings?.reject(elementOf<HTMLInputElement>('#ladder').checked ? [] : outcome.errors);
    this.#drawErrors(outcome);
    if (outcome.errors.length > 0) elementOf('#errors').scrollIntoView({ block: 'nearest' });
    else this.#drawFound({ notes: [] });
  }

  #focusList(): void {
    const title = document.querySelector<HTMLElement>('#uploads-title') ?? this.#form.querySelector('button');
    title?.focus();
  }

  /** Draws the list soon. */
  #schedule(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    setTimeout(() => {
      this.#isDrawing = false;
      const uploads = this.#rates.measure(this.#queue.uploads(), Date.now());
      this.#drawUploads({ uploads, bytesPerSecond: this.#rates.total() });
    }, drawMs);
  }
}

/** What is wrong, as sentences. Throws an error of another kind. */
function messagesOf(error: unknown): readonly string[] {
  if (error instanceof RejectedError) return error.messages;
  if (error instanceof UploadError) return [error.message];
  throw error;
}

function OutcomeView({ errors, jobIds, settings }: Outcome & { readonly settings: SettingsForm | null }) {
  return (
    <>
      {jobIds.length > maxOutcomes ? (
        <p>
          {jobIds.length} jobs were created: <a href={root}>the queue</a> shows them.
        </p>
      ) : (
        jobIds.map((id) => (
          <p key={String(id)}>
            <a href={`${root}jobs/${id}`}>Job {id}</a> was created.
          </p>
        ))
      )}
      {errors.length === 0 ? null : (
        <div class="problem">
          <p>{jobIds.length === 0 ? 'Nothing was submitted:' : 'This was not submitted:'}</p>
          <ul>
            {errors.slice(0, maxOutcomes).map((error) => (
              <li key={error}>
                {error}{' '}
                {settings?.hasRejected(error) ? (
                  <button type="button" class="link" onClick={() => settings.show(error)}>
                    Show the setting
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
          {errors.length > maxOutcomes ? <p>There are {errors.length - maxOutcomes} more.</p> : null}
        </div>
      )}
    </>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.length === 0 ? null : <p>{notes.join(' ')}</p>;
}

function elementOf<Kind extends HTMLElement = HTMLElement>(selector: string): Kind {
  const found = document.querySelector<Kind>(selector);
  if (found === null) throw new Error(`The document has no ${selector}.`);
  return found;
}
