import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import type { Run } from '../../daemon/jobs/run.js';
import { chooseRenditions } from '../../daemon/pipeline/choose-renditions.js';
import type { PipelineContext } from '../../daemon/pipeline/pipeline-context.js';
import type { RequestedFiles } from '../../daemon/pipeline/plan-job.js';
import { VencError } from '../../src/shared/errors.js';
import type { LadderPointRecord } from '../../src/shared/records.js';
import { jobIn } from '../jobs/sample-job.js';

const points: readonly LadderPointRecord[] = [{ height: 360, crf: 22, score: 93, kbps: 900, rendition: 1 }];
const video = { streamIndex: 0, codec: 'h264', width: 640, height: 360 };
const film = {
  format: 'mpeg4',
  durationSeconds: 5,
  totalBitrateKbps: 100,
  video,
  audio: null,
} as unknown as MediaFacts;

/** The changes that a run makes to a job with these options; its watermarks cannot be fetched. */
async function changesOf(ladder: Job['ladder'], media: MediaFacts | null): Promise<readonly Change[]> {
  const states = { job: 'processing', input: 'finished', outputs: ['queued', 'queued'] } as const;
  const made = jobIn(states, ladder === undefined ? {} : { ladder });
  const job = {
    ...made,
    outputs: made.outputs.map((output) => ({ ...output, settings: { dynamic_profile_rendition: 1 } })),
  };
  const changes: Change[] = [];
  const run = {
    job,
    signal: new AbortController().signal,
    change: async (change: Change) => {
      changes.push(change);
      return job;
    },
    progress: () => {},
  } as unknown as Run;
  const context = {
    ffmpeg: { listShapes: async () => null, measureConstantRate: async () => null, capabilities: {} },
    log: () => {},
  } as unknown as PipelineContext;
  const requestedFiles = {
    fetchWatermarks: async () => {
      throw new VencError('DownloadFailureError', 'The watermark is not there.');
    },
  } as unknown as RequestedFiles;
  await chooseRenditions(run, context, job, {
    ...{ media, input: 'film.mp4', scratch: '/nonexistent', requestedFiles },
    withEncoder: (work) => work(),
  });
  return changes;
}

test('a job without a ladder is left as it is', async () => {
  assert.equal(await changesOf(undefined, film), []);
});

test('a ladder that an earlier run chose is used again', async () => {
  assert.equal(await changesOf({ options: {}, points }, film), [{ type: 'ladder-chosen', points }]);
});

test('an input without video has no rendition', async () => {
  const none = [{ type: 'ladder-chosen', points: [] }];
  assert.equal(await changesOf({ options: {} }, null), none);
  assert.equal(await changesOf({ options: {} }, { ...film, video: null }), none);
});

test('a ladder that cannot be measured fails its renditions', async () => {
  const failure = {
    errorClass: 'DownloadFailureError',
    message: 'The ladder could not be chosen: The watermark is not there.',
  };
  assert.equal(await changesOf({ options: {} }, film), [
    { type: 'output-failed', id: 9, failure },
    { type: 'output-failed', id: 10, failure },
  ]);
});

test.run();
