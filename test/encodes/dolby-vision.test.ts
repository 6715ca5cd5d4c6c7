import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../daemon/plan/plan.js';
import { runCli } from '../cli/run-cli.js';
import { addDolbyVisionBox, tagAsDolbyVision } from '../helpers/dolby-vision.js';
import { addHdrBoxes, hdrDataOf, makeHdr } from '../helpers/hdr.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders } from '../plan/encoded.js';

const hevc = [
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', '-tag:v', 'hvc1'],
] as const;

const answers = suite('Dolby Vision');

/** Fractions as numbers, because containers store them in different forms. */
function asNumbers(data: Readonly<Record<string, string | number>>): readonly unknown[] {
  return Object.entries(data).map(([name, value]) => {
    const [, above, below] = /^(\d+)\/(\d+)$/.exec(String(value)) ?? [];
    return [name, above === undefined ? value : Number(above) / Number(below)];
  });
}

for (const [what, profile, compatibility, isTaken] of [
  ['Dolby Vision profile 5 is not encoded, with its name in the message', 5, 0, false],
  ['a Dolby Vision track without a configuration record is not encoded', null, 0, false],
  ['Dolby Vision profile 8, which is compatible with HDR10, is encoded', 8, 1, true],
] as const) {
  answers(what, async () => {
    const folder = tempFolder();
    await makeMedia(join(folder, 'in.mp4'), [...testVideo('160x120', 25, 0.2), ...hevc]);
    await addDolbyVisionBox(join(folder, 'in.mp4'), profile, compatibility);
    const words = ['run', 'in.mp4', '-o', 'out.mp4', '--progress', 'none', '--speed', '5'];
    const { code, stderr } = await runCli(words, { cwd: folder });
    assert.is(code === 0, isTaken, stderr);
    if (isTaken) return;
    assert.match(stderr, /UnsupportedInputError/);
    assert.match(stderr, /Dolby Vision profile 5/);
  });
}

answers.run();

const folder = tempFolder();
const profile8 = join(folder, 'profile-8.mp4');
const profile5 = join(folder, 'profile-5.mp4');
await makeHdr(profile8, { range: 'pq', hasData: true });
await addDolbyVisionBox(profile8, 8, 1);
await makeHdr(profile5, { range: 'pq' });
await addDolbyVisionBox(profile5, 5);
await tagAsDolbyVision(profile5);
const copied = { copy_video: true, skip_audio: true } as const;

for (const [build, ffmpeg] of await encoders()) {
  const test = suite(`copies of HDR, ${build}`);
  const { hasFpsMode, version } = ffmpeg.capabilities;

  /** The warnings of a copy, and why it fails. */
  const planned = async (input: string, filename: string) => {
    const one = { id: 7, settings: copied, filename, isTest: false };
    const paths = { input, scratch: '/s' };
    const { products, rejections } = plan([one], await ffmpeg.probe(input), paths, ffmpeg.capabilities);
    return [
      ...products.flatMap(({ warnings }) => warnings),
      ...rejections.map((it) => it.failure.message),
    ].join();
  };

  for (const name of ['film.mp4', 'film.mkv']) {
    test(`the record of profile 8 and the metadata of HDR10 survive a copy into ${name}`, async () => {
      const { path } = await encodedAndProbed(ffmpeg, profile8, copied, name);
      const isRecord = ({ side_data_type: type }: { side_data_type?: unknown }) => /^DOVI/.test(String(type));
      const expected = (await hdrDataOf(profile8)).filter((data) => hasFpsMode || !isRecord(data));
      assert.equal(await hdrDataOf(path), expected);
      assert.match(await planned(profile8, name), hasFpsMode ? /^$/ : /record of Dolby Vision was left out/);
    });

    test(`profile 5 can be copied into ${name}, if this ffmpeg writes its record`, async () => {
      if (!hasFpsMode) {
        assert.match(await planned(profile5, name), /cannot be copied into \.\w+ without its record/);
        return;
      }
      const { path, facts } = await encodedAndProbed(ffmpeg, profile5, copied, name);
      assert.equal(await hdrDataOf(path), await hdrDataOf(profile5));
      const hasOwnTag = name === 'film.mp4' && (version ?? 0) >= 7;
      assert.is(facts.video?.dolbyVision?.hasOwnTag ?? false, hasOwnTag);
      const isRenamed = name === 'film.mp4' && !hasOwnTag;
      assert.match(await planned(profile5, name), isRenamed ? /^The codec tag is hvc1/ : /^$/);
    });
  }

  test('containers without a record say so, and do not take profile 5', async () => {
    for (const name of ['film.mov', 'film.ts']) {
      assert.match(await planned(profile8, name), /^The record of Dolby Vision was left out/);
      assert.match(await planned(profile5, name), /cannot be copied/);
      await encodedAndProbed(ffmpeg, profile8, copied, name);
    }
  });

  test('the header of a copy keeps the metadata of HDR10, or a warning says that it does not', async () => {
    const input = join(tempFolder(), 'boxed.mp4');
    await makeHdr(input, { range: 'pq' });
    await addHdrBoxes(input);
    const { path } = await encodedAndProbed(ffmpeg, input, copied, 'film.mkv');
    assert.equal((await hdrDataOf(path)).map(asNumbers), (await hdrDataOf(input)).map(asNumbers));
  });

  test.run();
}
