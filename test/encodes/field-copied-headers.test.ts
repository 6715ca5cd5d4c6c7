import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { elementaryStreams } from '../../daemon/packaging/transport-stream.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { stderrOf } from './decoded-media.js';
import { runShipped, shippedBuilds } from './shipped.js';

/* Transport streams with copied video: each keyframe begins with the parameter sets, in front of the buffering period that needs them. */

const folder = tempFolder();
const [build] = await shippedBuilds();
if (build === undefined) throw new Error('there is no ffmpeg');

/** The types of NAL units: of delimiters, of parameter sets in their order, of SEI messages in front of a frame, and of keyframes. */
const unitTypes = {
  h264: { delimiter: 9, sets: [7, 8], messages: 6, isKey: (type: number) => type === 5 },
  hevc: {
    delimiter: 35,
    sets: [32, 33, 34],
    messages: 39,
    isKey: (type: number) => type >= 16 && type <= 21,
  },
} as const;
type Codec = keyof typeof unitTypes;

/** The types of the NAL units of each keyframe of a transport stream. */
function keyframes(path: string, codec: Codec): readonly (readonly number[])[] {
  const { delimiter, isKey } = unitTypes[codec];
  const streams = elementaryStreams(readFileSync(path));
  const { payload } = streams.find(({ streamType }) => streamType === (codec === 'h264' ? 0x1b : 0x24)) ?? {};
  if (payload === undefined) throw new Error(`${path} has no ${codec}`);
  const frames: number[][] = [];
  for (
    let at = payload.indexOf('000001', 0, 'hex');
    at !== -1;
    at = payload.indexOf('000001', at + 3, 'hex')
  ) {
    const byte = payload[at + 3] ?? 0;
    const type = codec === 'h264' ? byte & 31 : (byte >> 1) & 63;
    if (type === delimiter) frames.push([]);
    frames.at(-1)?.push(type);
  }
  return frames.filter((types) => types.some(isKey));
}

async function assertHeaders(path: string, codec: Codec): Promise<number> {
  const { delimiter, sets, messages } = unitTypes[codec];
  const found = keyframes(path, codec);
  for (const types of found) {
    assert.equal(types.slice(0, 1 + sets.length), [delimiter, ...sets], types.join());
    assert.is(types.filter((type) => type === delimiter).length, 1);
    assert.ok(types.includes(messages));
  }
  assert.is(await stderrOf(path), '');
  return found.length;
}

const constant = ['-b:v', '300k', '-minrate', '300k', '-maxrate', '300k', '-bufsize', '300k', '-g', '25'];
const hrd = 'hrd=1:vbv-maxrate=300:vbv-bufsize=300:keyint=25:open-gop=0:log-level=none';
const inputs: readonly (readonly [string, Codec, readonly string[]])[] = [
  ['constant.mp4', 'h264', ['-c:v', 'libx264', ...constant, '-x264-params', 'nal-hrd=cbr']],
  ['delimiters.mp4', 'h264', ['-c:v', 'libx264', ...constant, '-x264-params', 'nal-hrd=cbr:aud=1']],
  ['constant.mkv', 'hevc', ['-c:v', 'libx265', '-b:v', '300k', '-x265-params', `${hrd}:aud=1`]],
];

for (const [name, codec, coder] of inputs) {
  test(`the keyframes of ${codec} that is copied from ${name} begin with the parameter sets`, async () => {
    const input = join(folder, name);
    const sources = ['-f', 'lavfi', '-i', 'testsrc2=size=128x96:rate=25:duration=4', '-f', 'lavfi', '-i'];
    const formats = ['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-strict', '-2'];
    await ffmpegRaw(...sources, 'sine=duration=4', ...formats, ...coder, input);
    const copies = ['--copy-video', '--copy-audio'];
    assert.is(await assertHeaders(await runShipped(build, input, 'copied.ts', copies), codec), 4);
    if (codec !== 'h264') return;
    const segmented = ['--type', 'segmented', '--segment-seconds', '2', ...copies];
    const place = dirname(await runShipped(build, input, 'copied.m3u8', segmented));
    const segments = readdirSync(place).filter((file) => file.endsWith('.ts'));
    assert.is(segments.length, 2);
    for (const segment of segments) assert.is(await assertHeaders(join(place, segment), codec), 2);
  });
}

test.run();
