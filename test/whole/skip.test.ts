import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('an output whose skip rule matches is skipped, and its job is finished', async () => {
  const folder = tempFolder();
  const input = join(folder, 'in.mov');
  await makeMedia(input, film('64x48', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const id = await daemon.create({
      input: `file://${input}`,
      outputs: [
        { label: 'hd', min_size: '1280x720', thumbnails: { number: 2 } },
        { label: 'sd', width: 32 },
      ],
    });
    const job = await daemon.waitForJob(id);
    assert.is(job.state, 'finished');
    const [hd, sd] = job.output_media_files;
    assert.equal([hd?.state, hd?.file_size_bytes, hd?.width, hd?.error_class], ['skipped', null, null, null]);
    assert.ok(hd?.finished_at);
    assert.is(sd?.state, 'finished');
    assert.equal(job.thumbnails, []);
    const [listed] = await daemon.read<readonly { job: JobRecord }[]>('/v2/jobs');
    assert.equal(
      listed?.job.output_media_files.map(({ state }) => state),
      ['cancelled', 'finished'],
    );
    const progress = await daemon.read<JobProgressRecord>(`/v2/jobs/${id}/progress`);
    assert.equal([progress.progress, progress.outputs[0]?.state], [100, 'skipped']);
    const early = await daemon.read<{ state: string }>(`/outputs/${hd?.id}/progress`);
    assert.is(early.state, 'cancelled');
    const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
    const shown = await runCli(['show', String(id)], { env });
    assert.match(shown.stdout, /skipped/);
    const waited = await runCli(['wait', String(id)], { env });
    assert.is(waited.code, 0, waited.stderr);
    const saved = await runCli(['download', String(id), '-o', join(folder, 'saved')], { env });
    assert.is(saved.code, 0, saved.stderr);
    assert.is(saved.stdout.trim().split('\n').length, 1, saved.stdout);
  } finally {
    await daemon.stop();
  }
});

test('a job whose outputs are all skipped is finished', async () => {
  const folder = tempFolder();
  const input = join(folder, 'in.mov');
  await makeMedia(input, film('64x48', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const skip = { max_duration: 0.5 };
    const id = await daemon.create({ input: `file://${input}`, outputs: [{ skip }] });
    const job = await daemon.waitForJob(id);
    assert.equal([job.state, job.output_media_files[0]?.state], ['finished', 'skipped']);
  } finally {
    await daemon.stop();
  }
});

test('an output that saves too little is skipped after its encode, with those that have it as their source', async () => {
  const folder = tempFolder();
  const input = join(folder, 'in.mov');
  await makeMedia(input, film('128x96', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const url = (name: string) => `file://${join(folder, name)}`;
    const id = await daemon.create({
      input: url('in.mov'),
      outputs: [
        { label: 'large', url: url('large.mp4'), crf: 1, skip: { min_saving: 10 } },
        { source: 'large', url: url('small.mp4'), width: 32 },
        { url: url('tiny.mp4'), width: 32, crf: 40, audio_bitrate: 8, skip: { min_saving: 10 } },
      ],
    });
    const { state, output_media_files: outputs } = await daemon.waitForJob(id);
    assert.is(state, 'finished');
    assert.equal(
      outputs.map((output) => output.state),
      ['skipped', 'skipped', 'finished'],
    );
    assert.match(outputs[0]?.warnings?.join() ?? '', /skip\.min_saving asks for 10 percent less/);
    assert.equal(
      (await readdir(folder)).filter((name) => name.endsWith('.mp4')),
      ['tiny.mp4'],
    );
  } finally {
    await daemon.stop();
  }
});

test.run();
