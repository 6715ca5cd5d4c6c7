import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { defaultOutput } from '../../src/shared/settings/index.js';
import { film, makeMedia, media, rotatedMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encodedAndProbed, encoders, frames, writableName } from '../plan/encoded.js';

const folder = tempFolder();

/** Types of the top-level boxes of an MP4 file, in order. */
async function boxesOf(path: string): Promise<readonly string[]> {
  const bytes = await readFile(path);
  const kinds: string[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    kinds.push(bytes.toString('latin1', at + 4, at + 8));
    at += Math.max(8, bytes.readUInt32BE(at));
  }
  return kinds;
}

function sizeOf({ video }: MediaFacts): string {
  return `${video?.width}x${video?.height}`;
}

function difference(one: Uint8Array, other: Uint8Array): number {
  assert.is(one.length, other.length);
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}

for (const [build, ffmpeg] of await encoders()) {
  test(`${build}: the default output is h264 within 640x480 with AAC stereo at 44100 Hz, its index at the front`, async () => {
    const input = join(folder, 'surround.mp4');
    await makeMedia(input, film('854x480', 1, 6));
    const { facts, path } = await encodedAndProbed(ffmpeg, input, defaultOutput);
    assert.equal([facts.video?.codec, sizeOf(facts)], ['h264', '640x360']);
    assert.is(facts.video?.pixelFormat, 'yuv420p');
    assert.equal([facts.audio?.codec, facts.audio?.channels, facts.audio?.sampleRate], ['aac', 2, 44_100]);
    const boxes = await boxesOf(path);
    assert.ok(boxes.indexOf('moov') < boxes.indexOf('mdat'), boxes.join());
  });

  test(`${build}: output pixels are square`, async () => {
    const { facts } = await encodedAndProbed(ffmpeg, await media('wide.mp4'), {});
    assert.is(sizeOf(facts), '320x120');
    assert.equal(facts.video?.sampleAspectRatio, { numerator: 1, denominator: 1 });
  });

  test(`${build}: a rotated video is encoded as displayed and has no rotation tag`, async () => {
    const rotated = await encodedAndProbed(ffmpeg, await rotatedMedia(), { quality: 5 });
    assert.is(sizeOf(rotated.facts), '120x160');
    assert.is(rotated.facts.video?.rotationDegrees, 0);
    const stored = await encoded(ffmpeg, await media('silent.mp4'), { quality: 5 });
    const [lying] = await frames(ffmpeg, stored.path, 160 * 120);
    const [shown] = await frames(ffmpeg, rotated.path, 160 * 120);
    const turnedByHand = new Uint8Array(160 * 120).map((_, at) => {
      const [x, y] = [at % 120, Math.floor(at / 120)];
      return lying?.[(119 - x) * 160 + y] ?? 0;
    });
    assert.ok(difference(shown ?? new Uint8Array(), turnedByHand) < 3);
  });

  // A clip that starts between two frames begins with the later one.
  for (const start of [0.52, 0.5])
    test(`${build}: a clip from ${start} contains exactly the requested frames`, async () => {
      const input = await media('clip.mp4');
      const clip = await encodedAndProbed(ffmpeg, input, { start_clip: start, clip_length: 0.6, quality: 5 });
      const all = await frames(ffmpeg, input, 160 * 120);
      const some = await frames(ffmpeg, clip.path, 160 * 120);
      assert.is(some.length, 15);
      for (const at of [0, 14]) {
        assert.ok(
          difference(some[at] ?? new Uint8Array(), all[at + 13] ?? new Uint8Array()) < 4,
          `frame ${at}`,
        );
      }
      assert.ok(Math.abs((clip.facts.audio?.durationSeconds ?? 0) - 0.6) < 0.06);
    });

  test(`${build}: padding is black, and cropping trims both sides equally`, async () => {
    const input = await media('silent.mp4');
    const padded = await encoded(ffmpeg, input, { width: 160, height: 160, aspect_mode: 'pad', quality: 5 });
    const [frame = new Uint8Array()] = await frames(ffmpeg, padded.path, 160 * 160);
    const mean = (from: number, to: number) =>
      frame.subarray(from * 160, to * 160).reduce((sum, value) => sum + value, 0) / ((to - from) * 160);
    assert.ok(mean(0, 18) < 20 && mean(142, 160) < 20 && mean(40, 120) > 40);
    const cropped = await encodedAndProbed(ffmpeg, input, { width: 100, height: 100, aspect_mode: 'crop' });
    assert.is(sizeOf(cropped.facts), '100x100');
  });

  test(`${build}: video_bitrate is met within 10 %`, async () => {
    const input = join(folder, 'six.mp4');
    await makeMedia(input, film('320x180', 6));
    const { path } = await encoded(ffmpeg, input, { video_bitrate: 400, skip_audio: true });
    const kbps = ((await stat(path)).size * 8) / 6000;
    assert.ok(Math.abs(kbps - 400) < 40, `${kbps}`);
  });

  test(`${build}: uneven frame times are kept and no frame is lost`, async () => {
    const input = join(folder, 'uneven.mp4');
    const choice = 'select=lt(n\\,20)+not(mod(n\\,7)),setpts=PTS';
    const source = ['-f', 'lavfi', '-i', `testsrc2=size=160x120:rate=25:duration=2,${choice}`];
    await makeMedia(input, [...source, '-vsync', 'vfr', '-c:v', 'libx264', '-preset', 'ultrafast']);
    const { path } = await encoded(ffmpeg, input, {});
    assert.is(
      (await frames(ffmpeg, path, 160 * 120)).length,
      (await frames(ffmpeg, input, 160 * 120)).length,
    );
  });

  test(`${build}: interlaced video is deinterlaced`, async () => {
    const input = join(folder, 'fields.mp4');
    const weave = ['-vf', 'tinterlace=interleave_top,setfield=tff'];
    const flags = ['-flags', '+ilme+ildct', '-x264opts', 'tff=1', '-c:v', 'libx264'];
    await makeMedia(input, [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=160x120:rate=50:duration=1',
      ...weave,
      ...flags,
    ]);
    assert.is((await ffmpeg.probe(input)).video?.fieldOrder, 'top-first');
    const { facts } = await encodedAndProbed(ffmpeg, input, {});
    assert.is(facts.video?.fieldOrder, 'progressive');
  });

  const formats = [
    ['a.mkv', {}, 'matroska h264 aac'],
    ['a.webm', {}, 'webm vp8 vorbis'],
    ['a.ogv', {}, 'ogg theora vorbis'],
    ['a.mp4', { video_codec: 'hevc', speed: 5 }, 'mpeg4 hevc aac'],
    ['a.webm', { video_codec: 'vp9', speed: 5 }, 'webm vp9 opus'],
    ['a.flv', { audio_codec: 'mp3' }, 'flv h264 mp3'],
    ['a.ts', {}, 'mpeg-ts h264 aac'],
    ['a.mp3', {}, 'mp3 - mp3'],
    ['a.m4a', {}, 'mpeg4 - aac'],
    ['a.oga', {}, 'ogg - vorbis'],
    ['a.mov', { skip_audio: true }, 'mpeg4 h264 -'],
  ] as const;
  for (const [filename, settings, expected] of formats) {
    if (writableName(ffmpeg, filename) !== filename) continue;
    test(`${build}: ${filename} with ${JSON.stringify(settings)} contains ${expected}`, async () => {
      const input = await media('clip.mp4');
      const { facts } = await encodedAndProbed(ffmpeg, input, { ...settings, clip_length: 0.5 }, filename);
      assert.is([facts.format, facts.video?.codec ?? '-', facts.audio?.codec ?? '-'].join(' '), expected);
    });
  }
}

test.run();
