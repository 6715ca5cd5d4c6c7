import { withoutPassword } from '../../src/shared/redact.js';
import type { FileFacts, Job, JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';

/** The log line of a started job. */
export function startedLine({ id, input, outputs }: Job): string {
  return `Job ${id} started: ${withoutPassword(input.url)} to ${formatOutputCount(outputs.length)}.`;
}

/** The log line of a probed input or a finished output. */
export function fileLine(jobId: number, part: string, media: MediaFacts, file: FileFacts): string {
  const { durationSeconds, format, video, audio } = media;
  const facts = [
    format,
    ...(video === null ? [] : [`${video.codec} ${video.width}x${video.height}`]),
    ...(audio === null ? [] : [audio.codec]),
    ...(durationSeconds === null ? [] : [`${durationSeconds.toFixed(1)} s`]),
    formatSize(file.sizeBytes),
  ];
  return `Job ${jobId}: ${part} is ${facts.join(', ')}.`;
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The log line of an ended job: its outputs, the time of the run, and the speed relative to playback. */
export function endLine({ id, state, input, outputs }: Job, elapsedSeconds: number): string {
  const finished = outputs.filter((output) => output.state === 'finished').length;
  const length = input.media?.durationSeconds ?? null;
  const speed = length === null || finished === 0 ? '' : `, ${(length / elapsedSeconds).toFixed(1)}x`;
  return `Job ${id} is ${state}: ${finished} of ${formatOutputCount(outputs.length)} in ${elapsedSeconds.toFixed(1)} s${speed}.`;
}

/** The name of an output in the log: its label, otherwise its id. */
export function outputLogName(output: Pick<JobOutput, 'id' | 'label'> | undefined, id: number): string {
  return output?.label == null ? `output ${id}` : `output ${id} (${output.label})`;
}

function formatOutputCount(count: number): string {
  return count === 1 ? '1 output' : `${count} outputs`;
}
