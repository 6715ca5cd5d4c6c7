import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { Job } from '../../daemon/jobs/job.js';
import { relativeAddress, sourceOfStream } from '../../daemon/jobs/playlists.js';
import { sampleDraft, sampleFile, sampleMedia } from '../helpers/sample-job.js';

const at = new Date(1000);

/** A job with a segmented output and a playlist, whose input was inspected. */
function sampleJob(): Job {
  const drafted = sampleDraft(2).number(1);
  const types = ['segmented', 'playlist'] as const;
  const outputs = drafted.outputs.map((output, index) => ({
    ...output,
    settings: { type: types[index] ?? ('standard' as const) },
  }));
  const job = apply({ ...drafted, outputs }, { type: 'claimed', token: 'a' }, at);
  return apply(job, { type: 'inspected', media: sampleMedia, file: sampleFile }, at);
}

const states = ({ outputs }: Job) => outputs.map(({ state }) => state);

test('a playlist waits until it is queued, which needs an inspected input', () => {
  const job = sampleJob();
  assert.equal(states(job), ['queued', 'waiting']);
  const [rendition, playlist] = job.outputs.map(({ id }) => id);
  const queued = apply(job, { type: 'output-queued', id: playlist ?? 0 }, at);
  assert.equal(states(queued), ['queued', 'queued']);
  const failure = { errorClass: 'TranscodingError', message: 'No.' } as const;
  const failed = apply(job, { type: 'output-failed', id: rendition ?? 0, failure }, at);
  assert.equal([states(failed), failed.state], [['failed', 'waiting'], 'processing']);
  assert.equal(
    states(apply(job, { type: 'output-skipped', id: playlist ?? 0, reason: 'It is too short.' }, at)),
    ['queued', 'skipped'],
  );
  assert.throws(() =>
    apply(
      { ...job, input: { ...job.input, state: 'processing' } },
      { type: 'output-queued', id: playlist ?? 0 },
      at,
    ),
  );
});

test('an address in a playlist is relative if both are at one place', () => {
  const cases = [
    ['s3://b/x/master.m3u8', 's3://b/x/low/a.m3u8', 'low/a.m3u8'],
    ['s3://b/x/master.m3u8', 's3://b/y/a%20b c.m3u8', '../y/a%20b%20c.m3u8'],
    ['s3://b/master.m3u8', 's3://b/a.m3u8', 'a.m3u8'],
    ['s3://b/x/y/master.m3u8', 's3://b/a.m3u8', '../../a.m3u8'],
    ['s3://b/master.m3u8', 's3://c/a.m3u8', 's3://c/a.m3u8'],
    ['http://h:1/hosted/1/master.m3u8', 'http://h:1/hosted/2/a.m3u8', '../2/a.m3u8'],
    ['file:///x/master.m3u8', 'file:///x/ü.m3u8', '%C3%BC.m3u8'],
    ['file:///x/master.m3u8', 's3://b/a.m3u8', 's3://b/a.m3u8'],
    ['http://h/master.m3u8', 'http://h/a.m3u8?token=1', 'http://h/a.m3u8?token=1'],
  ] as const;
  for (const [playlist, output, expected] of cases)
    assert.is(relativeAddress(playlist, output), expected, output);
});

test('a stream refers to a segmented output by its label or its address', () => {
  const output = (url: string, settings: object) => ({ url, destination: url, settings });
  const low = output('s3://b/x/low/a%20b.m3u8', { type: 'segmented', label: 'low' });
  const whole = output('s3://b/x/whole.mp4', { label: 'whole' });
  const playlist = output('s3://b/x/lists/master.m3u8', { type: 'playlist' });
  const find = (stream: object) => sourceOfStream([whole, low], playlist, stream);
  assert.is(find({ source: 'low' }), low);
  assert.is(find({ source: 'low', path: 'elsewhere.m3u8' }), low);
  assert.is(find({ source: 'whole' }), undefined);
  for (const path of ['../low/a%20b.m3u8', './../low/a%20b.m3u8', 's3://b/x/low/a%20b.m3u8'])
    assert.is(find({ path }), low, path);
  assert.is(find({ path: 'low/a%20b.m3u8' }), undefined);
  assert.is(find({ path: '../whole.mp4' }), undefined);
  assert.is(find({ bandwidth: 3 }), undefined);
  const smil = output('s3://b/x/lists/list.smil', { type: 'playlist' });
  assert.is(sourceOfStream([whole, low], smil, { path: '../whole.mp4' }), whole);
});

test.run();
