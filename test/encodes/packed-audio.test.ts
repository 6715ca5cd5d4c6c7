import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('segments of packed audio decode to the samples of one file, and each begins with its time', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('64x48', 13));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const to = (name: string) => ({ url: `file://${folder}/${name}`, audio_bitrate: 64 });
  const cut = { type: 'segmented', format: 'aac', segment_seconds: 4 } as const;
  const id = await daemon.create({
    input: `file://${folder}/in.mp4`,
    outputs: [
      { ...cut, ...to('a.m3u8') },
      { ...cut, ...to('b.m3u8'), byte_range_segmenting: true, encryption_key: 'f'.repeat(32) },
      to('whole.aac'),
    ],
  });
  const job = await daemon.waitForJob(id);
  await daemon.stop();
  assert.is(job.state, 'finished', JSON.stringify(job));
  const [one] = job.output_media_files;
  assert.equal([one?.format, one?.segments, one?.rfc_6381_audio_codec], ['aac', 4, 'mp4a.40.2']);

  const { segments, tags } = parsePlaylist(readFileSync(join(folder, 'a.m3u8'), 'utf8'));
  assert.equal([tags['EXT-X-VERSION'], tags['EXT-X-MAP']], ['3', undefined]);
  let start = 0;
  for (const { uri, seconds } of segments) {
    const bytes = readFileSync(join(folder, uri));
    assert.is(bytes.toString('latin1', 0, 3), 'ID3');
    const at = bytes.indexOf('transportStreamTimestamp\0') + 'transportStreamTimestamp\0'.length;
    const time = Number(bytes.readBigUInt64BE(at)) / 90_000;
    // Transport streams begin at 1.4 s; the first frame precedes the start.
    assert.ok(Math.abs(time - (1.4 - 1024 / 44_100 + start)) < 0.001, `${time}`);
    assert.ok(seconds <= 4, `${seconds}`);
    start += seconds;
  }
  assert.ok(Math.abs(start - 13) < 0.05, `${start}`);
  const allowed = ['-allowed_extensions', 'ALL'];
  const hash = async (name: string, args: readonly string[] = []) => {
    const command = ['-v', 'error', ...args, '-i', join(folder, name), '-f', 'md5', '-'];
    return (await promisify(execFile)('ffmpeg', command)).stdout;
  };
  assert.is(await hash('a.m3u8', allowed), await hash('whole.aac'));
  assert.is(await hash('b.m3u8', allowed), await hash('whole.aac'));
});

test.run();
