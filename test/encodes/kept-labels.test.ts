import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg, testTone, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

/* What a track of video declares, regions of languages, and tags for the volume, as ffprobe reads the outputs. */

const { ffprobe } = await testFfmpeg();

async function labelledFilm(): Promise<string> {
  const path = join(tempFolder(), 'in.mkv');
  const ofVideo = ['-metadata:s:v', 'title=Main film', '-metadata:s:v', 'language=jpn'];
  const labels = [
    ...ofVideo,
    '-metadata:s:a',
    'language=pt-BR',
    '-metadata',
    'REPLAYGAIN_TRACK_GAIN=-6.5 dB',
  ];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
  await makeMedia(path, [...testVideo('64x48', 25, 1), ...testTone(1), ...codecs, ...labels]);
  return path;
}

async function read(path: string) {
  const args = ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  const { format, streams } = JSON.parse(stdout);
  const tagsOf = ({ tags = {} }: { tags?: Readonly<Record<string, string>> }) =>
    Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]));
  const [video = {}, audio = {}] = streams.map(tagsOf);
  return {
    video: [video.language, video.title ?? video.handler_name],
    audio: audio.language,
    gain: tagsOf(format).replaygain_track_gain,
  };
}

const lostRegion = 'Only the language was kept of pt-BR';
const lostGain = 'replaygain_track_gain';
const lostVideo = ['The language of video track 1 (jpn)', 'The title of video track 1 (Main film)'];
const all = ['jpn', 'Main film'];
const gain = '-6.5 dB';
const cases: readonly (readonly [
  string,
  readonly string[],
  Partial<Awaited<ReturnType<typeof read>>>,
  readonly string[],
])[] = [
  ['a.mkv', [], { video: all, audio: 'por-BR', gain }, []],
  ['b.mkv', ['--copy'], { video: all, audio: 'por-BR', gain }, []],
  ['c.mkv', ['--audio-gain', '3'], { video: all, audio: 'por-BR' }, [lostGain]],
  ['d.mkv', ['--clip-length', '0.5', '--copy-audio'], { video: all, audio: 'por-BR' }, [lostGain]],
  ['a.mp4', [], { video: all, audio: 'por' }, [lostRegion, lostGain]],
  ['b.mp4', ['--copy'], { video: all, audio: 'por' }, [lostRegion, lostGain]],
  ['a.mov', [], { video: all, audio: 'por' }, [lostRegion, lostGain]],
  ['a.webm', [], { video: all, audio: 'por-BR', gain }, []],
  ['a.flv', [], { video: [undefined, undefined], gain }, lostVideo],
  ['a.ts', ['--copy'], { video: [undefined, undefined], audio: 'por' }, [...lostVideo, lostRegion, lostGain]],
];

for (const { name: build, env } of await shippedBuilds()) {
  const test = suite(build);
  const film = labelledFilm();
  for (const [name, flags, expected, lost] of cases) {
    test(`${name} ${flags.join(' ')}`, async () => {
      const output = join(tempFolder(), name);
      const args = ['run', await film, '-o', output, '--progress', 'none', ...flags];
      const { code, stderr } = await runCli(args, { env });
      assert.is(code, 0, stderr);
      const found = await read(output);
      assert.equal(found, { audio: undefined, gain: undefined, ...expected });
      for (const words of [...lostVideo, lostRegion, lostGain])
        assert.is(stderr.includes(words), lost.includes(words), `${words}: ${stderr}`);
    });
  }
  test.run();
}
