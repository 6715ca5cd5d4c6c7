import { execFile } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** A format, what its details and playlists say, how long before the start its encoder begins, and how its streams are compared. */
const formats = [
  { format: 'aac', probed: 'aac', codec: 'mp4a.40.2', primingSamples: 1024, compared: [] },
  // A file of MP3 says how many samples to leave out at its start, so its frames are compared.
  { format: 'mp3', probed: 'mp3', codec: 'mp4a.40.34', primingSamples: 1105, compared: ['-c', 'copy'] },
  { format: 'ac3', probed: 'ac3', codec: 'ac-3', primingSamples: 256, compared: [] },
  { format: 'ec3', probed: 'eac3', codec: 'ec-3', primingSamples: 256, compared: [] },
] as const;

const encryption_key = 'f'.repeat(32);

/** The frames of each segment of a playlist: decrypted, and without the tag in front of them, which has fewer than 128 bytes. */
function framesOf(folder: string, playlist: string): readonly Buffer[] {
  const { segments } = parsePlaylist(readFileSync(join(folder, playlist), 'utf8'));
  return segments.map(({ uri, range, key }, index) => {
    const file = readFileSync(join(folder, uri));
    const { offset, size } = range ?? { offset: 0, size: file.length };
    const stored = file.subarray(offset, offset + size);
    if (key === null) return withoutTag(stored);
    const iv = Buffer.from(String(index).padStart(32, '0'), 'hex');
    const cipher = createDecipheriv('aes-128-cbc', Buffer.from(encryption_key, 'hex'), iv);
    return withoutTag(Buffer.concat([cipher.update(stored), cipher.final()]));
  });
}

function withoutTag(segment: Buffer): Buffer {
  return segment.subarray(10 + segment.readUInt8(9));
}

for (const { format, probed, codec, primingSamples, compared } of formats) {
  test(`segments of packed audio as ${format} decode to the samples of one file, and each begins with its time`, async () => {
    const folder = tempFolder();
    await makeMedia(join(folder, 'in.mp4'), film('64x48', 13));
    const daemon = await startTestDaemon({ filesRoots: [folder] });
    const to = (name: string) => ({
      url: `file://${folder}/${name}`,
      audio_bitrate: 64,
      audio_sample_rate: 44_100,
    });
    const cut = { type: 'segmented', format, segment_seconds: 4 } as const;
    const id = await daemon.create({
      input: `file://${folder}/in.mp4`,
      outputs: [
        { ...cut, ...to('a.m3u8') },
        { ...cut, ...to('b.m3u8'), byte_range_segmenting: true },
        { ...cut, ...to('c.m3u8'), encryption_key },
        to(`whole.${format}`),
        { ...cut, ...to('rest.m3u8'), clip_length: 8 },
      ],
    });
    const job = await daemon.waitForJob(id);
    await daemon.stop();
    assert.is(job.state, 'finished', JSON.stringify(job));
    const [one] = job.output_media_files;
    assert.equal([one?.format, one?.segments, one?.rfc_6381_audio_codec], [probed, 4, codec]);

    const { segments, tags } = parsePlaylist(readFileSync(join(folder, 'a.m3u8'), 'utf8'));
    assert.equal([tags['EXT-X-VERSION'], tags['EXT-X-MAP']], ['3', undefined]);
    let start = 0;
    for (const [index, { uri, seconds }] of segments.entries()) {
      assert.is(uri, `a-0000${index + 1}.${format}`);
      const bytes = readFileSync(join(folder, uri));
      assert.is(bytes.toString('latin1', 0, 3), 'ID3');
      const at = bytes.indexOf('transportStreamTimestamp\0') + 'transportStreamTimestamp\0'.length;
      const time = Number(bytes.readBigUInt64BE(at)) / 90_000;
      // Transport streams begin at 1.4 s; the first frame precedes the start.
      assert.ok(Math.abs(time - (1.4 - primingSamples / 44_100 + start)) < 0.001, `${time}`);
      // A segment ends with a whole frame, the longest of which is one of 1536 samples.
      assert.ok(seconds <= 4 + 1536 / 44_100, `${seconds}`);
      start += seconds;
    }
    assert.ok(Math.abs(start - 13) < 0.06, `${start}`);
    // What the encoder adds at the end is shorter than a segment that players recognise.
    const rest = parsePlaylist(readFileSync(join(folder, 'rest.m3u8'), 'utf8')).segments;
    assert.is(rest.length, 2, JSON.stringify(rest));

    const hash = async (name: string) => {
      const command = ['-v', 'error', '-i', join(folder, name), ...compared, '-f', 'md5', '-'];
      return (await promisify(execFile)('ffmpeg', command)).stdout;
    };
    const whole = await hash(`whole.${format}`);
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(
        join(folder, `joined-${name}.${format}`),
        Buffer.concat(framesOf(folder, `${name}.m3u8`)),
      );
      assert.is(await hash(`joined-${name}.${format}`), whole, name);
    }
  });
}

test.run();
