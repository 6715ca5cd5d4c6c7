import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { canContain, processesWith } from './contained-programs.js';

/** The limits of a daemon as shipped, as its clients see them. */
const test = suite<{ folder: string; daemon: TestDaemon }>('limits of jobs');
const hasLimits = await canContain('limits');

test.before(async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'short.mp4'), film('640x360', 2));
  await makeMedia(join(context.folder, 'long.mp4'), film('64x48', 5));
  await makeMedia(join(context.folder, 'slow.mp4'), film('640x360', 10));
  context.daemon = await startTestDaemon({
    filesRoots: [context.folder],
    encodeLimits: { maxOutputBytes: 200_000, maxInputSeconds: 3 },
  });
});
test.after(({ daemon }) => daemon?.stop());

function outputOf({ output_media_files: outputs }: JobRecord, label: string) {
  return outputs.find((output) => output.label === label);
}

(hasLimits ? test : test.skip)(
  'of two outputs that are encoded together, one hits a limit, and the other one finishes',
  async ({ folder, daemon }) => {
    const id = await daemon.create({
      input: `file://${folder}/short.mp4`,
      outputs: [
        { label: 'large', crf: 1, speed: 5 },
        { label: 'small', crf: 40, speed: 5, width: 64 },
      ],
    });
    const job = await daemon.waitForJob(id);
    const [large, small] = [outputOf(job, 'large'), outputOf(job, 'small')];
    assert.is(large?.state, 'failed', JSON.stringify(job));
    assert.is(large?.error_class, 'OutputSizeLimitError');
    assert.match(large?.error_message ?? '', /200 kB.*--max-output-size/i);
    assert.is(small?.state, 'finished', JSON.stringify(small));
    assert.ok((small?.file_size_bytes ?? 0) > 0);
    assert.match(daemon.logLines.join('\n'), /are encoded one by one, because .*--max-output-size/);
  },
);

test('an input that is too long fails with its duration, before it is encoded', async ({
  folder,
  daemon,
}) => {
  const id = await daemon.create({ input: `file://${folder}/long.mp4`, outputs: [{ width: 32 }] });
  const { state, input_media_file: input, output_media_files: outputs } = await daemon.waitForJob(id);
  assert.is(state, 'failed');
  assert.is(input.error_class, 'InputDurationLimitError');
  assert.match(input.error_message ?? '', /5(?:\.\d+)? seconds.*longer than 3 seconds.*--max-input-duration/);
  assert.not.equal(outputs[0]?.state, 'finished');
});

/** What ends an encode of a long film at a daemon with a limit. */
async function endOf(
  folder: string,
  encodeLimits: NonNullable<Parameters<typeof startTestDaemon>[0]>['encodeLimits'],
  whileEncoding: (pids: readonly number[]) => void = () => {},
): Promise<{ readonly errorClass: string | null | undefined; readonly message: string }> {
  const daemon = await startTestDaemon({ filesRoots: [folder], encodeLimits: encodeLimits ?? {} });
  const scratch = join(daemon.dataFolder, 'scratch');
  try {
    const output = { width: 1280, upscale: true, speed: 1, quality: 5 };
    const id = await daemon.create({ input: `file://${folder}/slow.mp4`, outputs: [output] });
    await waitUntil('it encodes or has ended', async () => {
      const encoders = processesWith('-progress');
      whileEncoding(processesWith(scratch).filter((pid) => encoders.includes(pid)));
      const { state } = await daemon.read<{ state: string }>(`/v2/jobs/${id}/progress`);
      return state === 'failed' || state === 'finished';
    });
    const [file] = (await daemon.waitForJob(id)).output_media_files;
    assert.is(file?.state, 'failed');
    await waitUntil('all processes are gone', () => processesWith(scratch).length === 0);
    return { errorClass: file?.error_class, message: file?.error_message ?? '' };
  } finally {
    await daemon.stop();
  }
}

test('an output whose encode takes too long fails with the limit', async ({ folder }) => {
  const { errorClass, message } = await endOf(folder, { maxEncodeSeconds: 1 });
  assert.is(errorClass, 'EncodeTimeLimitError');
  assert.match(message, /longer than 1 second.*--max-encode-time/);
});

(hasLimits ? test : test.skip)(
  'an output that needs too much memory fails with the limit',
  async ({ folder }) => {
    const { errorClass, message } = await endOf(folder, { maxMemoryBytes: 100e6 });
    assert.is(errorClass, 'MemoryLimitError');
    assert.match(message, /100 MB.*--max-encode-memory/);
  },
);

test('an output whose encoder was stopped fails after the stall timeout', async ({ folder }) => {
  const { errorClass, message } = await endOf(folder, { stallSeconds: 2 }, (pids) => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGSTOP');
      } catch {
        // It has ended since the processes were listed.
      }
    }
  });
  assert.is(errorClass, 'TranscodingTimeoutError');
  assert.match(message, /2 seconds \(--encode-stall-timeout\)/);
});

test.run();
