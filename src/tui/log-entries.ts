import { isFinal } from '../shared/states.js';
import type { News, Tone, WatchedFile, WatchedJob } from './watch-types.js';
import { fileTitle } from './watched-job.js';

/** What is worth a line of the log in the step from one look at a job to the next. */
export function newsOf(before: WatchedJob, after: WatchedJob, atMs: number): readonly News[] {
  const say = (text: string, tone: Tone): News => ({ atMs, text: `job ${after.id}: ${text}`, tone });
  if (after.loss !== null) return before.loss === null ? [say(after.loss.message, 'bad')] : [];
  const ofFiles =
    before.files.length === 0 ? [] : after.files.flatMap((file) => fileNews(before, after, file));
  const ofJob = before.state === after.state ? [] : [jobNews(after)];
  return [...ofFiles, ...ofJob].map(([text, tone]) => say(text, tone));
}

type Remark = readonly [text: string, tone: Tone];

function jobNews(job: WatchedJob): Remark {
  const faulty = job.files.find((file) => file.fault !== null);
  const reason = faulty === undefined ? '' : `, ${fileTitle(job, faulty)}: ${faulty.fault}`;
  return [`${job.state ?? 'unknown'}${reason}`, toneOf(job.state)];
}

function fileNews(before: WatchedJob, after: WatchedJob, file: WatchedFile): readonly Remark[] {
  const known = before.files.find((one) => one.id === file.id);
  if (known?.state !== file.state && isFinal(file.state))
    return [[`${fileTitle(after, file)} ${file.state}`, toneOf(file.state)]];
  if (file.event !== null && known?.event !== file.event)
    return [[`${fileTitle(after, file)} ${file.event}`, 'plain']];
  return [];
}

/** How a state is meant. */
export function toneOf(state: string | null): Tone {
  if (state === 'finished') return 'good';
  if (state === 'failed' || state === 'no input') return 'bad';
  if (state === 'processing' || state === 'assigning') return 'busy';
  return state === null || state === 'cancelled' || state === 'skipped' ? 'quiet' : 'plain';
}
