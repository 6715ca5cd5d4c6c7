import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildRequestBody, type JobArgs } from '../../../src/cli/input/job-args.js';
import { defaultHeights, type Ladder, ladderOutputs } from '../../../src/shared/settings/ladder-outputs.js';
import { parseJobRequest } from '../../../src/shared/settings/parse-job-request.js';
import { tempFolder } from '../../helpers/temp.js';
import { runInProcess } from '../run-here.js';

const ladder: Ladder = { kind: 'cmaf', heights: [1080, 720, 480], baseUrl: null };

test('a ladder has a rendition for each height, the audio once, and a playlist of all', () => {
  const outputs = ladderOutputs({}, ladder);
  assert.equal(
    outputs.map(({ label, filename, height }) => [label, filename, height]),
    [
      ['1080p', '1080p/1080p.m3u8', 1080],
      ['720p', '720p/720p.m3u8', 720],
      ['480p', '480p/480p.m3u8', 480],
      ['audio', 'audio/audio.m3u8', undefined],
      ['playlist', 'master.m3u8', undefined],
    ],
  );
  const [first, , last, audio, playlist] = outputs;
  assert.equal(first?.skip, { require_video: true, min_height: 792 });
  assert.equal(last?.skip, { require_video: true });
  assert.equal([first?.bitrate_cap, first?.buffer_size, first?.quality], [7500, 11_250, 3]);
  assert.ok(Number(last?.bitrate_cap) > 800 && Number(last?.bitrate_cap) < 2000);
  assert.equal([audio?.audio_bitrate, audio?.skip_video, audio?.skip], [128, true, { require_audio: true }]);
  assert.equal(playlist?.streams, [
    { source: '480p', audio: 'audio' },
    { source: '1080p', audio: 'audio' },
    { source: '720p', audio: 'audio' },
    { source: 'audio' },
  ]);
});

test('only the lowest rendition has the files of the captions, and all have those that are burned in', () => {
  const caption_url = ['http://a.example/de.srt'];
  const captionsOf = (settings: Parameters<typeof ladderOutputs>[0]) =>
    ladderOutputs(settings, ladder).map(({ caption_url, subtitles }) => [caption_url, subtitles]);
  const none = [undefined, undefined];
  const dropped = [undefined, 'drop'];
  assert.equal(captionsOf({ caption_url }), [dropped, dropped, [caption_url, undefined], none, none]);
  const burned = [caption_url, 'burn'];
  assert.equal(captionsOf({ caption_url, subtitles: 'burn' }), [burned, burned, burned, none, none]);
});

test('every kind of ladder is a valid request', () => {
  for (const kind of ['cmaf', 'dash', 'ts'] as const) {
    const outputs = ladderOutputs({}, { ...ladder, kind, heights: defaultHeights });
    const result = parseJobRequest({ input: 'http://a.example/b.mp4', outputs }, { maxOutputs: 20 });
    assert.is(result.ok, true);
    assert.equal(result.warnings, []);
    assert.equal(
      outputs.some((output) => output.packaging === 'cmaf'),
      kind === 'cmaf',
    );
  }
});

test('settings go to the outputs that have them', () => {
  const given = {
    video_codec: 'hevc',
    audio_bitrate: 96,
    start_clip: 3,
    segment_seconds: 4,
    public: true,
    audio_language: 'de',
    bitrate_cap: 900,
  };
  const [video, , , audio, playlist] = ladderOutputs(given, ladder);
  assert.equal(
    [video?.video_codec, video?.audio_bitrate, video?.start_clip, video?.segment_seconds, video?.bitrate_cap],
    ['hevc', undefined, 3, 4, 900],
  );
  assert.equal(
    [audio?.video_codec, audio?.audio_bitrate, audio?.start_clip, audio?.segment_seconds, audio?.bitrate_cap],
    [undefined, 96, 3, 4, undefined],
  );
  assert.equal(
    [video, audio, playlist].map((one) => one?.public),
    [true, true, true],
  );
  assert.equal([playlist?.start_clip, playlist?.segment_seconds], [undefined, undefined]);
  assert.equal(playlist?.alternate_audio, { audio: { source: 'audio', language: 'de' } });
});

test('copy_audio copies the audio, which then has the bitrate and the channels of the input', () => {
  for (const value of [true, 'true']) {
    const [video, , , audio] = ladderOutputs({ copy_audio: value }, ladder);
    assert.equal([video?.copy_audio, audio?.copy_audio], [undefined, value]);
    assert.equal([audio?.audio_bitrate, audio?.audio_channels], [undefined, undefined]);
  }
  const [, , , auto] = ladderOutputs({ copy_audio: 'auto' }, ladder);
  assert.equal([auto?.copy_audio, auto?.audio_bitrate, auto?.audio_channels], ['auto', 128, 2]);
  const [video, , , audio] = ladderOutputs({ copy_audio: true }, { ...ladder, kind: 'ts' });
  assert.equal([video?.copy_audio, video?.audio_bitrate], [true, undefined]);
  assert.equal([audio?.copy_audio, audio?.audio_bitrate], [true, undefined]);
});

test('copy applies to the audio, and one rendition has it to say that its video is encoded', () => {
  const copies = (kind: Ladder['kind']) =>
    ladderOutputs({ copy: true }, { ...ladder, kind }).map(({ copy, audio_bitrate }) => [
      copy,
      audio_bitrate,
    ]);
  const none = [undefined, undefined];
  const copied = [true, undefined];
  assert.equal(copies('cmaf'), [none, none, copied, copied, none]);
  assert.equal(copies('ts'), [copied, copied, copied, copied, none]);
  const outputs = ladderOutputs({ copy: true }, ladder);
  const result = parseJobRequest({ input: 'http://a.example/b.mp4', outputs }, { maxOutputs: 20 });
  assert.equal([result.ok, result.warnings], [true, []]);
});

test('flags make the ladder, with the URL of a folder for a service', async () => {
  const body = async (args: JobArgs) => buildRequestBody({ request: null, input: null }, args);
  const { outputs } = (await body({ hls: 's3://bucket/film', ladder: [720] })) as {
    outputs: { base_url?: string }[];
  };
  assert.equal(
    outputs.map((output) => output.base_url),
    ['s3://bucket/film', 's3://bucket/film', 's3://bucket/film'],
  );
  assert.is(((await body({ dash: true })) as { outputs: object[] }).outputs.length, 9);
  assert.equal(await body({}), {});
});

const rejected: readonly (readonly [readonly string[], RegExp])[] = [
  [['run', 'http://a.example/a.mp4', '--ladder', '720'], /--ladder needs --hls or --dash/],
  [['run', 'http://a.example/a.mp4', '--ts'], /--ts needs --hls/],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--dash', 'out/'],
    /with --hls or --dash, not with both/,
  ],
  [
    ['run', 'http://a.example/a.mp4', '--dash', 'out/', '--ts'],
    /transport streams, which DASH does not have/,
  ],
  [['run', 'http://a.example/a.mp4', '--hls', 'out/', '-o', 'b/'], /give one of them/],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--width', '640'],
    /--width contradicts --hls or --dash/,
  ],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--thumbnails', '3'],
    /--thumbnails contradicts .*: a ladder makes no thumbnails\.\nvenc: hint: make them with a second command, such as venc run /,
  ],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--copy-video'],
    /--copy-video contradicts --hls or --dash/,
  ],
  [
    ['plan', 'http://a.example/a.mp4', '--dash', 'out/', '--copy-video'],
    /--copy-video contradicts --hls or --dash/,
  ],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--segment-seconds', '1'],
    /^venc: --segment-seconds must be at least 2 without --byte-range-segmenting\nvenc: hint: give 2 seconds or more/,
  ],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--segment-seconds', '0.5'],
    /not "0\.5"\nvenc: hint: give 2 seconds or more, or from 1 second on with --byte-range-segmenting\n/,
  ],
  [['run', 'http://a.example/a.mp4', '--hls', 'out/', '--output', 'quality=4'], /remove --output/],
  [
    ['run', 'http://a.example/a.mp4', '--hls', 'out/', '--ladder', '720,x'],
    /even heights from 48 to 4320, not "720,x"/,
  ],
  [['run', 'http://a.example/a.mp4', '--hls', 'out/', '--ladder', '721'], /even heights/],
  [['submit', 'http://a.example/a.mp4', '--hls', 'out/'], /--hls takes a URL here, not "out\/"/],
  [['submit', 'http://a.example/a.mp4', 'http://a.example/b.mp4', '--hls', 's3://b/c'], /is for one input/],
];
for (const [words, message] of rejected)
  test(`${words.join(' ')} is rejected`, async () => {
    const { code, stderr } = await runInProcess(words);
    assert.is(code, 2);
    assert.match(stderr, message);
  });

test('an error about the folder of a ladder names the flag once', async () => {
  const input = join(tempFolder(), 'film.mp4');
  writeFileSync(input, '');
  const { code, stderr } = await runInProcess(['run', input, '--hls', 'ftpx://me:secret@host/film']);
  assert.is(code, 2);
  assert.match(stderr, /^venc: --hls ftpx:\/\/me@host\/film has the scheme "ftpx", which is not .*\n$/);
});

test('the hint for files that exist names another folder, because -o cannot be given', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'film.mp4'), '');
  writeFileSync(join(folder, 'master.m3u8'), '');
  const { code, stderr } = await runInProcess(['run', join(folder, 'film.mp4'), '--hls', folder]);
  assert.is(code, 2);
  assert.match(
    stderr,
    /master\.m3u8 already exists\.\n.*overwrite it with --force, or name another folder\n/,
  );
});

test('renditions that the content decides have numbers, from 1, the lowest', async () => {
  const outputs = ladderOutputs({}, { ...ladder, heights: { count: 4 } });
  assert.equal(
    outputs.map(({ label, filename, dynamic_profile_rendition: number }) => [label, filename, number]),
    [
      ...[4, 3, 2, 1].map((number) => [`v${number}`, `v${number}/v${number}.m3u8`, number]),
      ['audio', 'audio/audio.m3u8', undefined],
      ['playlist', 'master.m3u8', undefined],
    ],
  );
  assert.not.ok(outputs.some((output) => 'height' in output || 'bitrate_cap' in output));
  const [first] = (outputs.at(-1)?.streams ?? []) as readonly { readonly source: string }[];
  assert.is(first?.source, 'v3');
  for (const name of ['crf', 'quality', 'bitrate_cap', 'width'])
    assert.throws(
      () => ladderOutputs({ [name]: 1 }, { ...ladder, heights: { count: 4 } }),
      /contradicts --hls or --dash/,
    );
});

test('--ladder auto makes as many renditions as the options allow', async () => {
  const bodyOf = async (options: object) => {
    const preset = { dynamic_profile_options: options };
    const body = await buildRequestBody(
      { request: null, input: 'http://example.com/a.mp4' },
      {
        ...({ hls: true, ladder: 'auto', preset: 'mine' } as const),
        presets: async (name) => ({ name, source: 'own', settings: preset }),
      },
    );
    return body as { readonly outputs: readonly object[]; readonly generate_dynamic_profile?: boolean };
  };
  assert.is((await bodyOf({ max_renditions: 3 })).outputs.length, 5);
  const body = await bodyOf({});
  assert.is(body.generate_dynamic_profile, true);
  assert.is(body.outputs.length, 8);
  const parsed = parseJobRequest(body, { maxOutputs: 20 });
  assert.ok(parsed.ok);
  assert.equal(parsed.warnings, []);
});

test('a target of the quality is only for the video, and replaces the quality of the ladder', () => {
  for (const heights of [[720, 480], { count: 2 }]) {
    const [high, low, audio, playlist] = ladderOutputs({ quality_target: 90 }, { ...ladder, heights });
    assert.equal([high?.quality_target, low?.quality_target], [90, 90]);
    assert.not.ok([high, low].some((one) => one !== undefined && 'quality' in one));
    assert.not.ok([audio, playlist].some((one) => one !== undefined && 'quality_target' in one));
  }
  assert.throws(
    () => ladderOutputs({ dynamic_profile_rendition: 2 }, { ...ladder, heights: { count: 2 } }),
    /--dynamic-profile-rendition contradicts/,
  );
});

test.run();
