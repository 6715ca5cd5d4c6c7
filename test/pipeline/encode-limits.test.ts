import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EncodeOptions } from '../../daemon/ffmpeg/index.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import type { Run } from '../../daemon/jobs/run.js';
import { encode, limitBitrate } from '../../daemon/pipeline/encode.js';
import type { PipelineContext } from '../../daemon/pipeline/pipeline-context.js';
import type { PlannedOutput } from '../../daemon/pipeline/plan-job.js';
import type { Step } from '../../daemon/plan/plan-types.js';
import { VencError } from '../../src/shared/errors.js';
import { defaultOutput, type OutputSettings } from '../../src/shared/settings/index.js';
import { tempFolder } from '../helpers/temp.js';

/** A planned output of an hour in 4K. */
function planned(id: number, settings: OutputSettings = defaultOutput): PlannedOutput {
  const step: Step = {
    outputIds: [id],
    args: ['-i', 'input', `output-${id}.mp4`],
    durationSeconds: 3600,
    progressWeight: 1,
    encoderDelayFrames: 0,
  };
  const product = {
    ...{ outputId: id, path: `${tempFolder()}/output-${id}.mp4`, warnings: [] },
    ...{ expectedSeconds: 3600, contentSeconds: 3600, maxSeconds: 3610 },
    video: { codec: 'h264', width: 3840, height: 2160, frameSeconds: 0.04, frames: null },
    audio: [],
  };
  const output = { id, settings, label: null } as unknown as PlannedOutput['output'];
  const planPart = () => ({ steps: [], product, reference: null, files: [] });
  return { output, steps: [step], product, reference: null, stepsAtBitrate: () => [step], planPart };
}

/** A run and a context whose ffmpeg fails with an error, if there is one, and whose runs, changes and lines are kept. */
function fixture(error: Error | null, isPrivate = false) {
  const runs: EncodeOptions[] = [];
  const changes: Change[] = [];
  const lines: string[] = [];
  const run = {
    job: { id: 1, isPrivate },
    signal: new AbortController().signal,
    change: async (change: Change) => void changes.push(change),
    progress: () => {},
  } as unknown as Run;
  const context = {
    log: (_: string, line: string) => void lines.push(line),
    ffmpeg: {
      run: async (_: readonly string[], options: EncodeOptions) => {
        runs.push(options);
        if (error !== null) throw error;
      },
      measureVideo: async () => ({ kbps: 9000, seconds: 3600 }),
    },
  } as unknown as PipelineContext;
  return { run, context, runs, changes, lines };
}

const noMedia: MediaFacts = {
  ...{ format: 'mpeg4', durationSeconds: null, totalBitrateKbps: null, video: null, audio: null },
};

async function encodeBoth({ run, context }: ReturnType<typeof fixture>): Promise<void> {
  const members = [planned(3), planned(4)];
  const source = {
    media: () => noMedia,
    ffmpeg: () => context.ffmpeg,
    warnings: () => [],
    withChanges: <T>(work: () => Promise<T>) => work(),
    shapeWarning: async () => null,
    copiedAudioWarnings: async () => [],
  };
  const latest = () => ({ members, individually: members });
  const group = { latest, source, input: 'film.mp4', setFactor: () => {} };
  for await (const { output } of encode(run, context, group, tempFolder()))
    throw new Error(`output ${output.id} was encoded`);
}

test('outputs of an input that is too long fail together, and are not encoded one by one', async () => {
  const found = fixture(new VencError('InputDurationLimitError', 'The input is longer than 5 seconds.'));
  await encodeBoth(found);
  assert.is(found.runs.length, 1);
  const failed = found.changes.filter((change) => change.type === 'output-failed');
  assert.equal(
    failed.map(({ id, failure }) => [id, failure.errorClass]),
    [
      [3, 'InputDurationLimitError'],
      [4, 'InputDurationLimitError'],
    ],
  );
});

test('outputs that hit another limit together are encoded one by one, and the log of a private job has the class only', async () => {
  const error = new VencError('MemoryLimitError', 'The encoding needs more memory than 1 GB.');
  const [open, hidden] = [fixture(error), fixture(error, true)];
  for (const found of [open, hidden]) await encodeBoth(found);
  assert.is(open.runs.length, 3);
  assert.match(open.lines.join('\n'), /failed, MemoryLimitError: The encoding needs more memory/);
  assert.match(hidden.lines.join('\n'), /failed, MemoryLimitError$/);
});

test('the processor time of an encode at another bitrate is limited by the same work', async () => {
  const found = fixture(null);
  const output = planned(3, { ...defaultOutput, max_video_bitrate: 1000 });
  await limitBitrate(found.run, found.context, output, tempFolder());
  assert.equal(
    found.runs.map(({ work }) => work),
    Array.from({ length: 2 }, () => ({ seconds: 3600, pixels: 3840 * 2160 })),
  );
});

test.run();
