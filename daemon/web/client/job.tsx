/** @jsxImportSource hono/jsx */
import type {
  JobChangesRecord,
  JobProgressRecord,
  JobRecord,
  LogRecord,
} from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';
import { logText } from '../../../src/shared/text/safe-text.js';
import { type JobAction, type JobState, JobView, jobActions } from '../views/job.js';
import { ofAccount } from '../views/queue.js';
import { attempt, canChange, read, refresh, root, say, send } from './call.js';
import { mount } from './mount.js';
import { playIn } from './player.js';
import { follow } from './stream.js';

/** Lines of the log that stay in the document. */
const maxLines = 5000;

/** Lines of the log that are read without a stream. */
const readLines = 500;

/** Time after which most endpoints have answered a notification, in milliseconds. */
const answerMs = 2000;

/** Shows a job as it goes on, its log, and its buttons. */
export function showJob(initial: JobState): void {
  const container = document.querySelector<HTMLElement>('#job');
  const log = document.querySelector<HTMLElement>('#log');
  if (container === null || log === null) return;
  const { account } = initial;
  const { id } = initial.job;
  let state: JobState = initial;
  const offsetMs = initial.now - Date.now();
  const now = () => Date.now() + offsetMs;
  const view = (shown: JobState) => (
    <JobView {...shown} root={root} actions={canChange ? act : null} play={playIn} />
  );
  const draw = () => update({ ...state, now: now() });
  const load = async () => {
    const { job } = await read<{ job: JobRecord }>(`jobs/${id}${ofAccount(account)}`);
    state = { ...state, job, progress: isFinal(job.state) ? null : state.progress };
    draw();
  };
  /** Loads the answers to notifications, which come without an event. */
  const loadLater = () => setTimeout(() => void refresh(load), answerMs);
  const act = (action: JobAction) => {
    const needsQuestion = action === 'remove' || action === 'cancel';
    if (needsQuestion && !confirm(`${jobActions[action]} job ${id}?`)) return;
    void attempt(async () => {
      if (action === 'remove') {
        await send('DELETE', `jobs/${id}`);
        location.assign(root);
      } else {
        await send('PUT', `jobs/${id}/${action}`);
        await load();
        if (action === 'notify') loadLater();
      }
    });
  };
  const update = mount(container, view, state);
  log.scrollTop = log.scrollHeight;
  let known = statesOf(state.progress);
  const apply = (message: JobChangesRecord) => {
    if (message.removed.includes(id)) return say('This job was removed.');
    if (message.log !== undefined) addLines(log, message.log);
    const progress = message.jobs.find((job) => job.id === id);
    if (progress === undefined) return;
    state = { ...state, progress: isFinal(progress.state) ? null : progress };
    const next = statesOf(progress);
    if (next !== known) {
      known = next;
      void refresh(load);
      if (isFinal(progress.state)) loadLater();
    } else draw();
  };
  const readAgain = async () => {
    const query = ofAccount(account);
    const progress = await read<JobChangesRecord['jobs'][number]>(`jobs/${id}/progress${query}`);
    const { log: lines } = await read<{ log: readonly LogRecord[] }>(
      `jobs/${id}/log${query}${query === '' ? '?' : '&'}tail=${readLines}`,
    );
    apply({ jobs: [{ ...progress, id }], removed: [], log: lines });
  };
  const followed = { only: String(id), log: String(id), ...(account === null ? {} : { account: '*' }) };
  follow(followed, apply, readAgain);
}

/** The states of a job and its files as text; empty once it has ended. */
function statesOf(progress: JobProgressRecord | null): string {
  if (progress === null) return '';
  const { state, paused, input, outputs } = progress;
  return JSON.stringify([state, paused, input.state, outputs.map((one) => one.state)]);
}

/** Adds lines at the end of the log, which stays scrolled to its end if it was. */
function addLines(log: HTMLElement, lines: readonly LogRecord[]): void {
  const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
  const known = new Set(
    [...log.children].slice(-lines.length).map((line) => (line as HTMLElement).dataset.id),
  );
  const added = document.createDocumentFragment();
  for (const line of lines.filter((one) => !known.has(one.id)).slice(-maxLines)) {
    const element = document.createElement('span');
    element.className = `line is-${line.level}`;
    element.dataset.id = line.id;
    element.textContent = `${logText(line)}\n`;
    added.append(element);
  }
  log.append(added);
  while (log.childElementCount > maxLines) log.firstElementChild?.remove();
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}
