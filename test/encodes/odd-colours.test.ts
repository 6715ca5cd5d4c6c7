import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plan } from '../../daemon/plan/plan.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders, frames } from '../plan/encoded.js';

const patchSide = 32;

/** A video of adjacent grey patches with 10-bit luma, in BT.2100 colours with a given transfer. */
async function greys(path: string, transfer: string, levels: readonly number[]): Promise<void> {
  const row = Uint16Array.from(levels.flatMap((level) => Array<number>(patchSide).fill(level)));
  const luma = Array.from({ length: patchSide }, () => Buffer.from(row.buffer));
  const chroma = Buffer.from(new Uint16Array((row.length * patchSide) / 2).fill(512).buffer);
  const raw = join(tempFolder(), 'raw.yuv');
  await writeFile(raw, Buffer.concat(Array(5).fill(Buffer.concat([...luma, chroma]))));
  await ffmpegRaw(
    ...[
      '-f',
      'rawvideo',
      '-pix_fmt',
      'yuv420p10le',
      '-s',
      `${row.length}x${patchSide}`,
      '-r',
      '25',
      '-i',
      raw,
    ],
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '5', '-x265-params'],
    `log-level=error:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`,
    path,
  );
}

/** Black, 18 % of white in HDR (26 cd/m²), white (203 cd/m²) and common maximum brightness (1000 cd/m²). */
const films = [
  { name: 'PQ', transfer: 'smpte2084', levels: [64, 397, 573, 718] },
  { name: 'HLG', transfer: 'arib-std-b67', levels: [64, 397, 721, 940] },
] as const;

/** The expected range of each patch, of 255: 18 % is at 104 in BT.709, and white leaves space for brighter values. */
const target = [
  [0, 1],
  [94, 114],
  [180, 215],
  [245, 255],
] as const;

/** Throws if the patches of the first frame of a video are outside the expected ranges. */
async function expectTones(
  ffmpeg: Parameters<typeof frames>[0],
  path: string,
  width: number,
  height: number,
) {
  const [luma] = await frames(ffmpeg, path, width * height);
  for (const [index, [min, max]] of target.entries()) {
    const x = Math.floor(((index + 0.5) * width) / target.length);
    const found = luma?.[Math.floor(height / 2) * width + x] ?? -1;
    assert.ok(found >= min && found <= max, `patch ${index} is ${found}, not ${min} to ${max}`);
  }
}

const standard = { colourSpace: 'bt709', colourTransfer: 'bt709', colourPrimaries: 'bt709' } as const;
const coloursOf = ({ colourSpace, colourTransfer, colourPrimaries }: Partial<Record<string, unknown>>) => ({
  colourSpace,
  colourTransfer,
  colourPrimaries,
});

for (const [build, ffmpeg] of await encoders()) {
  const test = suite(`unusual colours, ${build}`);

  for (const { name, transfer, levels } of films) {
    test(`${name} is tone-mapped to BT.709 and tagged so, encoded separately and together`, async () => {
      const [folder, scratch] = [tempFolder(), tempFolder()];
      const input = join(folder, 'in.mp4');
      await greys(input, transfer, levels);
      const separate = await encodedAndProbed(ffmpeg, input, {});
      assert.equal(coloursOf({ ...separate.facts.video }), standard);
      await expectTones(ffmpeg, separate.path, 128, 32);
      const sizes = [{}, { width: 96 }, { width: 64, height: 64, aspect_mode: 'pad' as const }];
      const made = plan(
        sizes.map((settings, id) => ({ id, settings, filename: `${id}.mp4`, isTest: false })),
        await ffmpeg.probe(input),
        { input, scratch },
        ffmpeg.capabilities,
      );
      assert.is(made.steps.length, 1);
      for (const { args } of made.steps)
        await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
      for (const { path, video: planned } of made.products) {
        const { video } = await ffmpeg.probe(path);
        assert.equal(coloursOf({ ...video }), standard);
        await expectTones(ffmpeg, path, planned?.width ?? 0, planned?.height ?? 0);
      }
    });
  }

  test('HDR video with odd dimensions is tone-mapped too', async () => {
    const input = join(tempFolder(), 'in.mkv');
    await ffmpegRaw(
      ...['-f', 'lavfi', '-i', 'testsrc2=size=161x121:rate=25:duration=0.2', '-pix_fmt', 'yuv444p10le'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-color_trc', 'arib-std-b67'],
      input,
    );
    const { facts } = await encodedAndProbed(ffmpeg, input, { rotate: 90 });
    assert.equal([facts.video?.width, facts.video?.height], [120, 160]);
    assert.equal(coloursOf({ ...facts.video }), standard);
  });

  for (const codec of ['h264', 'hevc', 'vp9'] as const) {
    test(`SD video keeps its SD colour tags in ${codec}`, async () => {
      const input = join(tempFolder(), 'in.mp4');
      await ffmpegRaw(
        ...['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=0.2', '-pix_fmt', 'yuv420p'],
        ...[
          '-c:v',
          'libx264',
          '-color_primaries',
          'bt470bg',
          '-color_trc',
          'smpte170m',
          '-colorspace',
          'bt470bg',
        ],
        input,
      );
      const { facts } = await encodedAndProbed(ffmpeg, input, { video_codec: codec, speed: 5 });
      assert.is(facts.video?.colourSpace, 'bt470bg');
      // VP9 stores only the matrix.
      if (codec === 'vp9') return;
      assert.is(facts.video?.colourTransfer, 'smpte170m');
      assert.is(facts.video?.colourPrimaries, 'bt470bg');
    });
  }

  test.run();
}
