import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

async function withDaemon(
  work: (daemon: TestDaemon, folder: string, input: string) => Promise<void>,
): Promise<void> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mov'), film('64x48', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    await work(daemon, folder, `file://${join(folder, 'in.mov')}`);
  } finally {
    await daemon.stop();
  }
}

const md5 = async (path: string) =>
  createHash('md5')
    .update(await readFile(path))
    .digest('hex');

const statesOf = (job: JobRecord) => job.output_media_files.map(({ state }) => state);

test('transfer-only delivers the bytes of the input and of an output unchanged', () =>
  withDaemon(async (daemon, folder, input) => {
    const id = await daemon.create({
      input,
      test: true,
      outputs: [
        { type: 'transfer-only', base_url: `file://${folder}/out`, width: 32 },
        { type: 'Transfer Only', source: 'web', label: 'copy', base_url: `file://${folder}/out` },
        { label: 'web', width: 32, url: `file://${folder}/out/web.mp4` },
      ],
    });
    const job = await daemon.waitForJob(id);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    assert.equal((await readdir(join(folder, 'out'))).toSorted(), ['copy.mp4', 'in.mov', 'web.mp4']);
    const [ofInput, ofOutput, web] = job.output_media_files;
    assert.is(await md5(join(folder, 'out/in.mov')), await md5(join(folder, 'in.mov')));
    assert.is(ofInput?.md5_checksum, await md5(join(folder, 'in.mov')));
    assert.is(await md5(join(folder, 'out/copy.mp4')), await md5(join(folder, 'out/web.mp4')));
    assert.equal([ofOutput?.md5_checksum, ofOutput?.width], [web?.md5_checksum, 32]);
    assert.is(ofInput?.width, 64);
    // Builds of ffmpeg write audio that is up to one frame longer.
    assert.ok(Math.abs((ofInput?.duration_in_ms ?? 0) - 1000) < 30, String(ofInput?.duration_in_ms));
    assert.match(JSON.stringify(job.warnings), /outputs\[0\]\.width/);
  }));

test('transfer-only accepts a file that is not media', () =>
  withDaemon(async (daemon, folder) => {
    await writeFile(join(folder, 'notes.txt'), 'not media');
    const id = await daemon.create({
      input: `file://${folder}/notes.txt`,
      outputs: [{ type: 'transfer_only', base_url: `file://${folder}/out` }],
    });
    const job = await daemon.waitForJob(id);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    assert.is(await readFile(join(folder, 'out/notes.txt'), 'utf8'), 'not media');
    const [output] = job.output_media_files;
    assert.equal([output?.file_size_bytes, output?.duration_in_ms], [9, null]);
  }));

test('a file that is not media is transferred, and the outputs that are encoded from it fail', () =>
  withDaemon(async (daemon, folder) => {
    await writeFile(join(folder, 'paper.pdf'), `%PDF-1.4\n${'text '.repeat(500)}`);
    const id = await daemon.create({
      input: `file://${folder}/paper.pdf`,
      outputs: [
        { label: 'web', url: `file://${folder}/out/web.mp4` },
        { label: 'archive', type: 'transfer-only', url: `file://${folder}/out/paper.pdf` },
        { source: 'archive', url: `file://${folder}/out/small.mp4` },
        { source: 'archive', type: 'transfer-only', url: `file://${folder}/out/copy.pdf` },
        { source: 'web', url: `file://${folder}/out/next.mp4` },
      ],
    });
    const check = async () => {
      const job = await daemon.waitForJob(id);
      assert.is(job.state, 'failed');
      assert.is(job.input_media_file.state, 'finished');
      assert.equal(statesOf(job), ['failed', 'finished', 'failed', 'finished', 'no input']);
      const [web, , small, , next] = job.output_media_files;
      for (const one of [web, small]) {
        assert.is(one?.error_class, 'NoMediaError');
        assert.match(one?.error_message ?? '', /^The file /);
      }
      assert.is(next?.error_class, 'SourceFailedError');
      assert.equal((await readdir(join(folder, 'out'))).toSorted(), ['copy.pdf', 'paper.pdf']);
      assert.is(await md5(join(folder, 'out/copy.pdf')), await md5(join(folder, 'paper.pdf')));
    };
    await check();
    assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    await check();
  }));

test('an output is made from the file of its source, in any order of the request', () =>
  withDaemon(async (daemon, folder, input) => {
    const id = await daemon.create({
      input,
      outputs: [
        { label: 'c', source: 'b', skip_video: true, url: `file://${folder}/out/c.m4a` },
        { label: 'b', source: 'a', url: `file://${folder}/out/b.mp4` },
        { label: 'a', width: 32, url: `file://${folder}/out/a.mp4` },
      ],
    });
    const job = await daemon.waitForJob(id);
    assert.equal(statesOf(job), ['finished', 'finished', 'finished'], JSON.stringify(job, null, 1));
    // The input is 64 pixels wide.
    assert.is(job.output_media_files[1]?.width, 32);
    assert.is(job.output_media_files[0]?.video_codec, null);
  }));

test('a failed source fails its dependents, a skipped one skips them, and a resubmit makes it again', () =>
  withDaemon(async (daemon, folder, input) => {
    const watermark = { url: `file://${folder}/mark.png` };
    const id = await daemon.create({
      input,
      outputs: [
        { label: 'bad', watermark, width: 32 },
        { label: 'next', source: 'bad' },
        { label: 'last', source: 'next' },
        { label: 'no', skip: { min_duration: 60 } },
        { source: 'no' },
        { label: 'good', width: 32 },
        { label: 'late', source: 'good', watermark },
      ],
    });
    const job = await daemon.waitForJob(id);
    const expected = ['failed', 'no input', 'no input', 'skipped', 'skipped', 'finished', 'failed'];
    assert.equal(statesOf(job), expected);
    const [, next, last] = job.output_media_files;
    assert.is(next?.error_class, 'SourceFailedError');
    for (const one of [next, last]) assert.match(one?.error_message ?? '', /bad/);
    await makeMedia(join(folder, 'mark.png'), [
      ...['-f', 'lavfi', '-i', 'color=red:s=8x8', '-frames:v', '1'],
    ]);
    const resubmitted = await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' });
    assert.is(resubmitted.status, 204);
    const again = await daemon.waitForJob(id);
    assert.is(again.state, 'finished', JSON.stringify(again, null, 1));
    assert.is(again.output_media_files[5]?.finished_at, job.output_media_files[5]?.finished_at);
    assert.is(again.output_media_files[6]?.width, 32);
  }));

const invalid: readonly (readonly [readonly object[], string])[] = [
  [[{ source: 'x' }], 'outputs[0].source names no output of this job'],
  [[{ label: 'x', source: 'x' }], 'outputs[0].source must not name its own output'],
  [
    [{ label: 'a', source: 'b' }, { label: 'b', source: 'a' }, {}],
    'outputs[0].source forms a cycle: a, b, a',
  ],
  [
    [
      { label: 'a', source: 'b', type: 'transfer-only' },
      { label: 'b', source: 'a', type: 'transfer-only' },
    ],
    'outputs[0].source forms a cycle: a, b, a',
  ],
  [
    [{ type: 'captions', format: 'webm' }],
    'outputs[0].format must be webvtt, dfxp, srt, mp4, m3u8 or scc if type is captions',
  ],
];

test('invalid sources and types are rejected', () =>
  withDaemon(async (daemon, _, input) => {
    for (const [outputs, message] of invalid) {
      const response = await daemon.request('/v2/jobs', {
        method: 'POST',
        body: JSON.stringify({ input, outputs }),
      });
      assert.is(response.status, 422);
      const { errors } = (await response.json()) as { errors: readonly string[] };
      assert.ok(errors.includes(message), `${message}: ${JSON.stringify(errors)}`);
    }
  }));

test.run();
