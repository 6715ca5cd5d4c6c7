import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { parsePlaylist } from '../helpers/hls.js';
import { makeMedia, testTone, testVideo } from '../helpers/media.js';
import { startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { tempFolder } from '../helpers/temp.js';
import { packets } from './packets.js';

interface Context {
  folder: string;
  input: string;
  daemon: TestDaemon;
}

const test = daemonSuite<Context>('playlists', async (context) => {
  context.folder = tempFolder();
  const input = [...testVideo('320x180', 30000 / 1001, 7), ...testTone(7), '-c:a', 'aac'];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  await makeMedia(join(context.folder, 'in.mp4'), [...input, ...h264]);
  context.input = `file://${context.folder}/in.mp4`;
  return { filesRoots: [context.folder], allowPrivateNetwork: true };
});

const cut = { type: 'segmented', segment_seconds: 2 } as const;

async function run({ daemon, input }: Context, outputs: readonly object[]): Promise<JobRecord> {
  return daemon.waitForJob(await daemon.create({ input, outputs }));
}

const read = (path: string) => parsePlaylist(readFileSync(path, 'utf8'));

/** The highest rate of a segment of a rendition, and the average, from the sizes of its files. */
function measure(path: string): { readonly peak: number; readonly average: number } {
  const { segments } = read(path);
  const sizes = segments.map(
    ({ uri, range }) => range?.size ?? statSync(join(path, '..', decodeURIComponent(uri))).size,
  );
  const rates = segments.map(({ seconds }, index) => ((sizes[index] ?? 0) * 8) / seconds);
  const long = rates.filter((_, index) => index < rates.length - 1 || (segments[index]?.seconds ?? 0) > 1);
  const seconds = segments.reduce((sum, one) => sum + one.seconds, 0);
  return { peak: Math.max(...long), average: (sizes.reduce((sum, size) => sum + size, 0) * 8) / seconds };
}

test('a playlist lists each rendition with what was measured in it', async (context) => {
  const { folder } = context;
  const to = (name: string) => ({ url: `file://${folder}/all/${name}` });
  const job = await run(context, [
    {
      ...{ type: 'playlist', ...to('master.m3u8') },
      streams: [
        { source: 'low', bandwidth: 1 },
        { source: 'high', name: 'best' },
        { path: 'audio/a%20b.m3u8' },
        {
          path: 'https://cdn.example.com/x.m3u8',
          bandwidth: 64.5,
          resolution: '64x36',
          codecs: 'avc1.42E01E',
        },
      ],
    },
    {
      ...cut,
      ...to('high/film.m3u8'),
      label: 'high',
      width: 320,
      hls_protocol_version: 6,
      byte_range_segmenting: true,
    },
    { ...cut, ...to('low/film.mp4'), label: 'low', width: 160, video_codec_profile: 'baseline' },
    { ...cut, ...to('audio/a b.m3u8'), skip_video: true },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  const [record, high, low] = job.output_media_files;
  assert.equal(
    [record?.format, record?.duration_in_ms, record?.video_codec, record?.segments],
    ['m3u8', null, null, undefined],
  );
  assert.is(record?.file_size_bytes, statSync(join(folder, 'all/master.m3u8')).size);
  const { streams, tags, keyframeStreams } = read(join(folder, 'all/master.m3u8'));
  assert.equal(tags, { 'EXT-X-VERSION': '4' });
  assert.equal(
    streams.map((one) => [one.uri, one.RESOLUTION, one['FRAME-RATE'], one.CODECS, one.NAME]),
    [
      ['low/film.m3u8', '160x90', '29.970', `${low?.rfc_6381_video_codec},mp4a.40.2`, undefined],
      ['high/film.m3u8', '320x180', '29.970', `${high?.rfc_6381_video_codec},mp4a.40.2`, 'best'],
      ['audio/a%20b.m3u8', undefined, undefined, 'mp4a.40.2', undefined],
      ['https://cdn.example.com/x.m3u8', '64x36', undefined, 'avc1.42E01E', undefined],
    ],
  );
  const rates = streams.map((one) => [Number(one.BANDWIDTH), Number(one['AVERAGE-BANDWIDTH'])]);
  assert.equal([rates[0]?.[0], rates[3]], [1000, [64_500, Number.NaN]]);
  for (const [index, path] of [
    [0, 'all/low/film.m3u8'],
    [1, 'all/high/film.m3u8'],
    [2, 'all/audio/a b.m3u8'],
  ] as const) {
    const { peak, average } = measure(join(folder, path));
    const [bandwidth = 0, declared = 0] = rates[index] ?? [];
    if (index > 0)
      assert.ok(bandwidth >= peak - 1 && bandwidth <= peak * 1.1, `${path}: ${bandwidth}, ${peak}`);
    assert.ok(Math.abs(declared - average) <= average / 100, `${path}: ${declared}, ${average}`);
  }
  assert.match(
    JSON.stringify(record?.warnings),
    /bandwidth of stream 1 is 1 Kbps as requested, but a segment has \d+/,
  );
  const [keyframes] = keyframeStreams;
  assert.equal(
    [keyframeStreams.length, keyframes?.URI, keyframes?.CODECS, keyframes?.RESOLUTION],
    [1, 'high/film-iframe-index.m3u8', high?.rfc_6381_video_codec, '320x180'],
  );
  assert.ok(Number(keyframes?.BANDWIDTH) > 0 && Number(keyframes?.BANDWIDTH) < (rates[1]?.[0] ?? 0));
  assert.ok(existsSync(join(folder, 'all/high/film-iframe-index.m3u8')));
});

test('all streams that are segmented say that each segment begins with a keyframe, and a copy of another output has its keyframes', async (context) => {
  const { folder } = context;
  const to = (name: string) => ({ url: `file://${folder}/copies/${name}` });
  const job = await run(context, [
    { ...to('a.mp4'), label: 'a', width: 160 },
    { ...to('b.mp4'), label: 'b', width: 96, prepare_for_segmenting: 'hls' },
    { ...cut, ...to('a.m3u8'), source: 'a', copy_video: true, copy_audio: true, label: 'sa' },
    {
      ...cut,
      ...to('b.m3u8'),
      source: 'b',
      copy_video: true,
      copy_audio: true,
      label: 'sb',
      segment_seconds: 3,
    },
    { type: 'playlist', ...to('all.m3u8'), streams: [{ source: 'sa' }, { source: 'sb' }] },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  assert.is(job.output_media_files[4]?.warnings, undefined);
  assert.is(read(join(folder, 'copies/all.m3u8')).tags['EXT-X-INDEPENDENT-SEGMENTS'], '');
  for (const [name, seconds] of [
    ['a', 2],
    ['b', 3],
  ] as const) {
    const lengths = read(join(folder, `copies/${name}.m3u8`)).segments.map((one) => one.seconds);
    assert.ok(
      lengths.slice(0, -1).every((length) => Math.abs(length - seconds) < 0.034),
      lengths.join(),
    );
    const all = await packets(join(folder, `copies/${name}.mp4`));
    const grid = all.filter(({ isKey }) => isKey).map((one) => Math.floor(one.seconds / seconds + 0.001));
    assert.equal(new Set(grid).size, Math.ceil(7 / seconds));
  }
});

test('a copy of the input whose segments begin elsewhere is listed with a warning', async (context) => {
  const to = (name: string) => ({ url: `file://${context.folder}/uneven/${name}` });
  const job = await run(context, [
    { ...cut, ...to('made.m3u8'), label: 'made', width: 160 },
    { ...cut, ...to('copy.m3u8'), label: 'copy', copy_video: true },
    { type: 'playlist', ...to('all.m3u8'), streams: [{ source: 'made' }, { source: 'copy' }] },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  assert.match(
    job.output_media_files[2]?.warnings?.join() ?? '',
    /^The segments of the renditions do not begin together: segment 2 begins at 2\.002 s in made and at 7\.\d+ s in copy\.$/,
  );
});

test('a playlist fails if a source was skipped or failed, unless skipped ones may be left out', async (context) => {
  const { folder } = context;
  const skip = { min_duration: 3600 };
  const to = (name: string) => ({ url: `file://${folder}/skips/${name}` });
  const streams = [{ source: 'skipped' }, { source: 'made' }];
  const job = await run(context, [
    { ...cut, ...to('a.m3u8'), label: 'skipped', skip, width: 64 },
    { ...cut, ...to('b.m3u8'), label: 'made', width: 64 },
    { type: 'playlist', ...to('strict.m3u8'), streams },
    { type: 'playlist', ...to('lenient.m3u8'), streams, allow_skipped_sources: true },
    { type: 'playlist', ...to('empty.m3u8'), streams: [{ source: 'skipped' }], allow_skipped_sources: true },
    { type: 'playlist', ...to('skipped.m3u8'), streams, skip },
  ]);
  assert.equal(
    job.output_media_files.map(({ state, error_class }) => [state, error_class]),
    [
      ['skipped', null],
      ['finished', null],
      ['failed', 'SkippedSourceError'],
      ['finished', null],
      ['failed', 'SkippedSourceError'],
      ['skipped', null],
    ],
  );
  assert.equal(
    readdirSync(join(folder, 'skips')).filter((name) => name.endsWith('.m3u8')),
    ['b.m3u8', 'lenient.m3u8'],
  );
  assert.equal(
    read(join(folder, 'skips/lenient.m3u8')).streams.map(({ uri }) => uri),
    ['b.m3u8'],
  );

  const failing = await startFtpTestServer({ answers: { STOR: '553 not allowed' } });
  const failed = await run(context, [
    { ...cut, url: `ftp://me:x@127.0.0.1:${failing.port}/a.m3u8`, label: 'lost', width: 64 },
    { type: 'playlist', ...to('never.m3u8'), streams: [{ source: 'lost' }] },
    { type: 'playlist', ...to('cdn.m3u8'), streams: [{ path: 'http://cdn/a.m3u8', bandwidth: 100 }] },
  ]);
  assert.equal(
    failed.output_media_files.map(({ state, error_class }) => [state, error_class]),
    [
      ['failed', 'UploadAccessDeniedError'],
      ['failed', 'SourceFailedError'],
      ['finished', null],
    ],
  );
  assert.match(failed.output_media_files[1]?.error_message ?? '', 'lost');
  assert.not.ok(existsSync(join(folder, 'skips/never.m3u8')));
  await failing.close();
});

test('a hosted playlist and its renditions play and are downloaded from one folder', async (context) => {
  const { daemon } = context;
  const job = await run(context, [
    { ...cut, label: 'low', width: 64 },
    { ...cut, label: 'high', width: 96, filename: 'high.m3u8', hls_protocol_version: 4 },
    { type: 'playlist', streams: [{ source: 'high' }, { source: 'low' }] },
  ]);
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  const url = job.output_media_files[2]?.url ?? '';
  assert.match(url, /\/hosted\/[0-9a-f]{32}\/master\.m3u8$/);
  const { streams } = parsePlaylist(await (await fetch(url)).text());
  assert.is(streams[0]?.uri, 'high.m3u8');
  for (const { uri } of streams) {
    const rendition = await fetch(new URL(uri, url));
    const { segments } = parsePlaylist(await rendition.text());
    assert.is(segments.length, 4);
    const part = await fetch(new URL(segments[3]?.uri ?? '', rendition.url));
    assert.equal([part.status, part.headers.get('content-type')], [200, 'video/mp2t']);
    await part.body?.cancel();
  }
  const cwd = tempFolder();
  const { code, stderr } = await runCli(['download', String(job.id), '--progress', 'none'], {
    cwd,
    env: { VENC_URL: daemon.url, VENC_API_KEY: daemon.key },
  });
  assert.is(code, 0, stderr);
  const names = readdirSync(cwd);
  assert.is(names.length, 2 * 4 + 2 + 1 + 1);
  for (const { uri } of read(join(cwd, 'master.m3u8')).streams) {
    assert.ok(names.includes(uri), uri);
    for (const segment of read(join(cwd, uri)).segments) assert.ok(names.includes(segment.uri), segment.uri);
  }
});

test('venc plan and venc run show and write playlists', async ({ folder }) => {
  const cwd = tempFolder();
  const request = JSON.stringify({
    input: join(folder, 'in.mp4'),
    outputs: [
      { ...cut, label: 'low', width: 64, filename: 'low.m3u8' },
      { type: 'playlist', filename: 'master.m3u8', streams: [{ source: 'low' }] },
    ],
  });
  const planned = await runCli(['plan', '-'], { cwd, stdin: request });
  assert.is(planned.code, 0, planned.stderr);
  assert.match(
    `${planned.stdout}${planned.stderr}`,
    /output 1 is cut into segments of 2 s: low-00001\.ts and so on, with the playlist low\.m3u8/,
  );
  assert.match(`${planned.stdout}${planned.stderr}`, /output 2 is the playlist master\.m3u8/);
  assert.equal(readdirSync(cwd), []);
  const { code, stdout, stderr } = await runCli(['run', '-', '--progress', 'none'], {
    cwd,
    stdin: request,
  });
  assert.is(code, 0, stderr);
  assert.equal(
    stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^.*\//, '')),
    ['low.m3u8', 'master.m3u8'],
  );
  assert.equal(
    read(join(cwd, 'master.m3u8')).streams.map(({ uri }) => uri),
    ['low.m3u8'],
  );
});

test.run();
