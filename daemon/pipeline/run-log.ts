import { withoutPassword } from '../../src/shared/redact.js';
import { isFinal, stateClause } from '../../src/shared/states.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import type { Log } from '../../src/shared/util/log.js';
import type { FileFacts, Job, JobFailure, JobOutput } from '../jobs/job.js';
import type { Change } from '../jobs/legal-changes.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';

/** Wraps a run so that the changes of its job and files are logged, to a log that adds the id of the job. */
export function withLogging(run: Run, log: Log): Run {
  const { id, outputs } = run.job;
  const startedAt = performance.now();
  log('info', startedLine(run.job));
  const describeFile = (change: Change) =>
    'id' in change
      ? outputLogName(
          outputs.find((output) => output.id === change.id),
          change.id,
        )
      : 'the input';
  return {
    ...run,
    async change(change) {
      const job = await run.change(change);
      const fields = 'id' in change ? { outputId: change.id } : {};
      if (change.type === 'output-started')
        log('info', `Job ${id}: ${describeFile(change)} is being encoded.`, { ...fields, isDetail: true });
      if ('media' in change)
        log('info', fileLine(id, describeFile(change), change.media, change.file), fields);
      if ('failure' in change) {
        const failure = failureInLog(job, change.failure);
        log('warn', `Job ${id}: ${describeFile(change)} failed, ${failure}`, fields);
      }
      if (change.type === 'output-skipped')
        log('info', `Job ${id}: ${describeFile(change)} is skipped. ${change.reason}`, fields);
      if (isFinal(job.state)) log('info', endLine(job, (performance.now() - startedAt) / 1000));
      return job;
    },
  };
}

/** The log line of a started job. */
function startedLine({ id, input, outputs, isPrivate }: Job): string {
  const source = isPrivate === true ? 'a private input' : withoutPassword(input.url);
  const toMake = outputs.filter(({ state }) => !isFinal(state)).length;
  const share = toMake === outputs.length ? '' : `${toMake} of `;
  return `Job ${id} started: ${source} to ${share}${formatOutputCount(outputs.length)}.`;
}

/** The log line of a probed input or a finished output. */
function fileLine(jobId: number, part: string, media: MediaFacts | null, file: FileFacts): string {
  const { durationSeconds = null, format = 'a file', video = null, audio = null } = media ?? {};
  const facts = [
    format,
    ...(video === null ? [] : [`${video.codec} ${video.width}x${video.height}`]),
    ...(audio === null ? [] : [audio.codec]),
    ...(durationSeconds === null ? [] : [`${durationSeconds.toFixed(1)} s`]),
    formatBytes(file.sizeBytes),
  ];
  return `Job ${jobId}: ${part} is ${facts.join(', ')}.`;
}

/**
 * The log line of an ended job, or of a run that has left outputs to others: the outputs, the time of the run, and the
 * speed relative to playback.
 */
function endLine({ id, state, input, outputs }: Job, elapsedSeconds: number): string {
  const finished = outputs.filter((output) => output.state === 'finished').length;
  const length = input.media?.durationSeconds ?? null;
  const speed = length === null || finished === 0 ? '' : `, ${(length / elapsedSeconds).toFixed(1)}x`;
  // To a run, the outputs of others look cancelled; see `viewOfClaim`. No change of a run returns a job that was
  // cancelled.
  const end = outputs.some((output) => output.state === 'cancelled')
    ? 'is done on this machine'
    : stateClause(state);
  return `Job ${id} ${end}: ${finished} of ${formatOutputCount(outputs.length)} in ${elapsedSeconds.toFixed(1)} s${speed}.`;
}

/**
 * A failure as the log of its job shows it: without the message if the job is private, because that may contain a URL.
 */
export function failureInLog(
  { isPrivate }: Pick<Job, 'isPrivate'>,
  { errorClass, message }: JobFailure,
): string {
  return isPrivate === true ? errorClass : `${errorClass}: ${message}`;
}

/** The name of an output in the log: its label, otherwise its id. */
export function outputLogName(output: Pick<JobOutput, 'id' | 'label'> | undefined, id: number): string {
  return output?.label == null ? `output ${id}` : `output ${id} (${output.label})`;
}

function formatOutputCount(count: number): string {
  return count === 1 ? '1 output' : `${count} outputs`;
}
