import { isFinal } from '../shared/states.js';
import { toneOf } from './tones.js';
import type { LogEntry, LogLine, Tone, WatchedFile, WatchedJob } from './watch-types.js';
import { fileTitle } from './watched-job.js';

/** The log entries for the change of a job between two updates. */
export function logEntriesFor(before: WatchedJob, after: WatchedJob, atMs: number): readonly LogEntry[] {
  const toEntry = (text: string, tone: Tone): LogEntry => ({ atMs, text: `job ${after.id}: ${text}`, tone });
  if (after.unavailable !== null)
    return before.unavailable === null ? [toEntry(after.unavailable.message, 'bad')] : [];
  const ofFiles =
    before.files.length === 0 ? [] : after.files.flatMap((file) => fileEntries(before, after, file));
  const ofJob = before.state === after.state ? [] : [jobEntry(after)];
  return [...ofFiles, ...ofJob].map(([text, tone]) => toEntry(text, tone));
}

type TextAndTone = readonly [text: string, tone: Tone];

function jobEntry(job: WatchedJob): TextAndTone {
  const failedFile = job.files.find((file) => file.failure !== null);
  const reason = failedFile === undefined ? '' : `, ${fileTitle(job, failedFile)}: ${failedFile.failure}`;
  return [`${job.state ?? 'unknown'}${reason}`, toneOf(job.state)];
}

function fileEntries(before: WatchedJob, after: WatchedJob, file: WatchedFile): readonly TextAndTone[] {
  const known = before.files.find((one) => one.id === file.id);
  if (known?.state !== file.state && isFinal(file.state))
    return [[`${fileTitle(after, file)} ${file.state}`, toneOf(file.state)]];
  if (file.event !== null && known?.event !== file.event)
    return [[`${fileTitle(after, file)} ${file.event}`, 'plain']];
  return [];
}

// More lines than a tall terminal has.
const maxLogLines = 50;

/** Appends entries to the log and drops the oldest lines beyond the limit. */
export function appendEntries(log: readonly LogLine[], entries: readonly LogEntry[]): readonly LogLine[] {
  if (entries.length === 0) return log;
  const next = (log.at(-1)?.serial ?? 0) + 1;
  return [...log, ...entries.map((line, index) => ({ ...line, serial: next + index }))].slice(-maxLogLines);
}
