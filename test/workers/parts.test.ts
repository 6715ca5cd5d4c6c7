import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { createWorkerKey, killWorkers, startWorker } from '../helpers/worker-process.js';

const test = suite('outputs of workers with several files');
test.after.each(killWorkers);

test('segments, playlists, keys, captions and thumbnails are delivered through the daemon', async () => {
  const root = tempFolder();
  const daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [root] });
  startWorker(daemon.url, await createWorkerKey(daemon.dataFolder));
  await copyFile(await media('clip.mp4'), join(root, 'in.mp4'));
  await writeFile(join(root, 'in.srt'), '1\n00:00:00,000 --> 00:00:01,000\nHello.\n');
  const caption_url = { url: pathToFileURL(join(root, 'in.srt')).href, language: 'en' };
  const segmented = { type: 'segmented', width: 64, segment_seconds: 2 };
  const to = (name: string) => pathToFileURL(join(root, 'out', name)).href;
  const id = await daemon.create({
    input: pathToFileURL(join(root, 'in.mp4')).href,
    outputs: [
      { ...segmented, label: 'hls', caption_url, thumbnails: { number: 2 } },
      { ...segmented, label: 'cmaf', filename: 'cmaf.m3u8', packaging: 'cmaf', caption_url },
      { ...segmented, url: to('dash.mpd'), streaming_delivery_format: 'dash' },
      { ...segmented, url: to('one.m3u8'), byte_range_segmenting: true, generate_keyframe_manifest: true },
      {
        ...segmented,
        url: to('keys/a.m3u8'),
        encryption_method: 'aes-128',
        encryption_key_rotation_period: 1,
      },
      { url: to('sidecar.mp4'), width: 64, subtitles: 'sidecar', caption_url },
      { url: to('scores.mp4'), width: 64, measure_quality: true, quality_log: true },
      { type: 'captions', url: to('captions.m3u8'), caption_url },
      { type: 'playlist', url: to('all/main.m3u8'), streams: [{ source: 'hls', path: 'hls.m3u8' }] },
      { type: 'playlist', label: 'both', packaging: 'cmaf', streams: [{ source: 'cmaf' }] },
    ],
  });
  const job = await daemon.waitForJob(id);
  const log = await (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();
  assert.is(job.state, 'finished', log);
  const delivered = await readdir(join(root, 'out'), { recursive: true });
  for (const name of ['dash.mpd', 'one.m3u8', 'keys/a.m3u8', 'sidecar.mp4', 'captions.m3u8', 'all/main.m3u8'])
    assert.ok(delivered.includes(name), `${name}: ${delivered.join(', ')}`);
  const measured = job.output_media_files.find(({ url }) => url === to('scores.mp4'));
  if (measured?.quality !== undefined) assert.is(measured.quality.log_url, to('scores.quality.json'));
  assert.is(delivered.includes('scores.quality.json'), measured?.quality !== undefined);
  const countOf = (pattern: RegExp) => delivered.filter((name) => pattern.test(name)).length;
  assert.ok(countOf(/^keys\/.*\.ts$/) >= 1, delivered.join(', '));
  assert.ok(countOf(/^keys\/.*\.key$/) >= 1, delivered.join(', '));
  assert.ok(countOf(/\.vtt$/) >= 2, delivered.join(', '));
  const hls = job.output_media_files.find(({ label }) => label === 'hls');
  const both = job.output_media_files.find(({ label }) => label === 'both');
  assert.is((await fetch((both?.url ?? '').replace('.m3u8', '.mpd'))).status, 200);
  assert.is(job.thumbnails.length, 2);
  for (const url of [hls?.url ?? '', ...job.thumbnails.map((one) => one.url)])
    assert.is((await fetch(url)).status, 200, url);
  await daemon.stop();
});

test.run();
