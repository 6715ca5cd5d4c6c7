import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { canContain } from './contained-programs.js';

/** The limits of a daemon as shipped, as its clients see them. */
const test = suite<{ folder: string; daemon: TestDaemon }>('limits of jobs');
const hasLimits = await canContain('limits');

test.before(async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'short.mp4'), film('640x360', 2));
  await makeMedia(join(context.folder, 'long.mp4'), film('64x48', 5));
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

test.run();
