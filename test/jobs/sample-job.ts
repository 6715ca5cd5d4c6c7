import { draftJob } from '../../daemon/jobs/draft.js';
import type { FileFacts, Job, JobFailure } from '../../daemon/jobs/job.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { isFinal, type OutputState } from '../../src/shared/states.js';

/** When the sample job was created. */
export const madeAt = new Date('2024-01-01T00:00:00.000Z');
/** When the tested changes happen. */
export const changedAt = new Date('2024-01-01T00:01:00.000Z');

/** The facts of its input. */
export const media: MediaFacts = {
  format: 'mpeg4',
  durationSeconds: 5,
  totalBitrateKbps: 100,
  video: null,
  audio: null,
};
/** The file that was received or delivered. */
export const file: FileFacts = { sizeBytes: 3, md5: '900150983cd24fb0d6963f7d28e17f72' };
/** The failure of a part of it. */
export const sampleFailure: JobFailure = {
  errorClass: 'TranscodingError',
  message: 'The encoder gave up on the file.',
};

/** States of a job, its input and its outputs. */
export interface States {
  readonly job: Job['state'];
  readonly input: Job['input']['state'];
  readonly outputs: readonly OutputState[];
}

/** A frozen job 7 in the given states: input 8, outputs 9 and up, with the fields that these states require. */
export function jobIn({ job: state, input, outputs }: States, edit: Partial<Job> = {}): Job {
  const draft = draftJob({
    accountId: 'acme',
    request: {
      input: 'http://example.com/in.mp4',
      input_name: 'the input',
      outputs: outputs.map(() => ({})),
    },
    test: false,
    outputs: outputs.map((_, index) => ({
      settings: { label: `output ${index}` },
      outputDestination: {
        destination: `hosted://t/${index}.mp4`,
        url: `http://localhost/hosted/t/${index}.mp4`,
      },
    })),
    now: madeAt,
  }).number(7);
  const marks = (its: string) => ({
    finishedAt: isFinal(its) ? madeAt.toISOString() : null,
    media: its === 'finished' ? media : null,
    file: its === 'finished' ? file : null,
    failure: its === 'failed' ? sampleFailure : null,
  });
  return deepFreeze({
    ...draft,
    state,
    claim: state === 'processing' ? 'token' : null,
    finishedAt: marks(state).finishedAt,
    input: { ...draft.input, ...marks(input), state: input },
    outputs: draft.outputs.map((output, index) => {
      const its = outputs[index] ?? 'waiting';
      return { ...output, ...marks(its), state: its };
    }),
    ...edit,
  });
}

/** The states of a job, for comparison. */
export function statesOf(job: Job): States {
  return { job: job.state, input: job.input.state, outputs: job.outputs.map((output) => output.state) };
}

/** Freezes a value deeply, so that an edit in place throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
