import type { FollowEvent } from '../../client/follow-context.js';
import type { FollowedProgress } from '../../client/job-progress.js';
import type { ProgressRecord } from '../../shared/records.js';
import { safeText } from '../../shared/text/safe-text.js';
import { colourState, type TextColours } from './paint.js';
import { failureLines, progressText } from './progress-text.js';

/** Progress in percent between two lines of a file. */
const stepPercent = 10;

type FileProgress = ProgressRecord & { readonly id: number };

/**
 * The changes of an event, one per line: new states, new events, and every ten percent. `before` is the previous
 * progress of the same job; undefined for the first.
 */
export function eventLines(
  event: FollowEvent,
  before: FollowedProgress | undefined,
  colours: TextColours,
): readonly string[] {
  switch (event.type) {
    case 'progress':
      return progressLines(event.job, before, colours);
    case 'final': {
      const { id, state } = event.job;
      return [`job ${id}: ${colourState(colours, state, safeText(state))}`, ...failureLines(event.job)];
    }
    default:
      return [];
  }
}

/** The event as one object, with the names of the service. */
export function eventObject(event: FollowEvent): object {
  switch (event.type) {
    case 'unreachable':
      return { type: event.type, error: event.error.message };
    case 'rejected':
      return { type: event.type, id: event.id, error: event.error.message };
    default:
      return event;
  }
}

function progressLines(
  job: FollowedProgress,
  before: FollowedProgress | undefined,
  colours: TextColours,
): readonly string[] {
  const files = [
    { name: 'input', now: job.input, past: before?.input },
    ...job.outputs.map((now) => ({
      name: 'output',
      now,
      past: before?.outputs.find(({ id }) => id === now.id),
    })),
  ];
  return [
    ...(before?.state === job.state
      ? []
      : [`job ${job.id}: ${colourState(colours, job.state, safeText(job.state))}`]),
    ...files
      .filter(({ now, past }) => hasAdvanced(now, past))
      .map(({ name, now }) => `${name} ${now.id}: ${progressText(now, colours)}`),
  ];
}

function hasAdvanced(now: FileProgress, past: FileProgress | undefined): boolean {
  // A file that still waits needs no line: the line of the job shows that.
  if (past === undefined) return now.state !== 'waiting' && now.state !== 'pending';
  return (
    now.state !== past.state ||
    now.current_event !== past.current_event ||
    Math.floor(now.progress / stepPercent) !== Math.floor(past.progress / stepPercent)
  );
}
