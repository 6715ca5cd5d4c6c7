import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { verifyOutput } from '../../daemon/pipeline/verify-output.js';
import { plan } from '../../daemon/plan/plan.js';
import { planThumbnails } from '../../daemon/plan/thumbnails.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { addHdrBoxes, hdrDataOf, makeHdr } from '../helpers/hdr.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders } from '../plan/encoded.js';

const folder = tempFolder();
const hdr10 = join(folder, 'hdr10.mp4');
const hlg = join(folder, 'hlg.mp4');
/** The same as `hdr10`, with its metadata in the header only. */
const boxed = join(folder, 'boxed.mp4');
await makeHdr(hdr10, { range: 'pq', hasData: true });
await makeHdr(hlg, { range: 'hlg' });
await makeHdr(boxed, { range: 'pq' });
await addHdrBoxes(boxed);

const small = { skip_audio: true, speed: 5 } as const satisfies OutputSettings;
const hevc = { ...small, video_codec: 'hevc' } as const satisfies OutputSettings;
const av1 = { ...small, video_codec: 'av1' } as const satisfies OutputSettings;

/** The warnings of an output, of its plan and of its verification. */
async function warningsOf(
  ffmpeg: Ffmpeg,
  input: string,
  settings: OutputSettings,
): Promise<readonly string[]> {
  const outputs = [{ id: 7, settings, filename: 'film.mp4', isTest: false }];
  const made = plan(outputs, await ffmpeg.probe(input), { input, scratch: '/s' }, ffmpeg.capabilities);
  return made.products.flatMap(({ warnings }) => warnings);
}

/** The values of fractions in what ffprobe prints. */
const toNumber = (value: unknown) => {
  const [numerator, denominator = 1] = String(value).split('/').map(Number);
  return (numerator ?? Number.NaN) / denominator;
};

for (const [build, ffmpeg] of await encoders()) {
  const test = suite(`HDR, ${build}`);
  const hasSvt = ffmpeg.capabilities.encoders.has('libsvtav1');

  for (const [what, input] of [
    ['frames', hdr10],
    ['its header', boxed],
  ] as const) {
    for (const name of ['film.mp4', 'film.mkv']) {
      test(`HEVC in ${name} keeps the metadata that the input has in ${what} to the last digit`, async () => {
        const { path, facts } = await encodedAndProbed(ffmpeg, input, { ...hevc, hdr: 'keep' }, name);
        const { pixelFormat, profile, colourTransfer, colourPrimaries, colourSpace } = facts.video ?? {};
        assert.equal(
          [pixelFormat, profile, colourTransfer, colourPrimaries, colourSpace],
          ['yuv420p10le', 'Main 10', 'smpte2084', 'bt2020', 'bt2020nc'],
        );
        assert.equal(await hdrDataOf(path), await hdrDataOf(input));
      });
    }

    test(`tone-mapped video has none of the metadata in ${what}, encoded alone and together`, async () => {
      for (const settings of [small, hevc]) {
        const { path, facts } = await encodedAndProbed(ffmpeg, input, settings);
        assert.is(facts.video?.colourTransfer, 'bt709');
        assert.equal(await hdrDataOf(path), []);
      }
      const scratch = tempFolder();
      const outputs = [96, 128].map((width, id) => ({
        ...{ id, filename: `${id}.mp4`, isTest: false },
        settings: { ...hevc, width },
      }));
      const facts = await ffmpeg.probe(input);
      const { steps, products } = plan(outputs, facts, { input, scratch }, ffmpeg.capabilities);
      assert.is(steps.length, 1);
      for (const { args } of steps)
        await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
      for (const { path } of products) assert.equal(await hdrDataOf(path), []);
    });
  }

  test('AV1 keeps HDR10, to the nearest step, if SVT-AV1 is there', async () => {
    const settings = { ...av1, hdr: 'keep' } as const;
    const { path, facts } = await encodedAndProbed(ffmpeg, hdr10, settings, 'film.mkv');
    assert.equal([facts.video?.pixelFormat, facts.video?.colourTransfer], ['yuv420p10le', 'smpte2084']);
    const found = await hdrDataOf(path);
    if (!hasSvt) {
      assert.equal(found, []);
      assert.match((await warningsOf(ffmpeg, hdr10, settings)).join(), /libaom-av1 does not write them/);
      return;
    }
    const expected = await hdrDataOf(hdr10);
    assert.is(found.length, 2);
    for (const [at, data] of expected.entries())
      for (const [name, value] of Object.entries(data)) {
        if (name === 'side_data_type') continue;
        const step = name === 'max_luminance' ? 1 / 256 : name === 'min_luminance' ? 1 / 16_384 : 1 / 65_536;
        const difference = Math.abs(toNumber(found[at]?.[name]) - toNumber(value));
        assert.ok(difference <= step / 2 + 1e-9, `${name} differs by ${difference}`);
      }
    // From AV1 to AV1 nothing changes.
    const again = await encodedAndProbed(ffmpeg, path, settings);
    assert.equal(await hdrDataOf(again.path), found);
  });

  for (const [name, settings] of [
    ['hevc', hevc],
    ['av1', av1],
  ] as const)
    test(`HLG stays HLG in ${name}`, async () => {
      const { path, facts } = await encodedAndProbed(ffmpeg, hlg, { ...settings, hdr: 'keep' });
      const { pixelFormat, colourTransfer, colourSpace } = facts.video ?? {};
      assert.equal([pixelFormat, colourTransfer, colourSpace], ['yuv420p10le', 'arib-std-b67', 'bt2020nc']);
      assert.equal(await hdrDataOf(path), []);
    });

  test('H.264 is tone-mapped, with a warning, and without one if that was asked for', async () => {
    const { facts } = await encodedAndProbed(ffmpeg, hdr10, { ...small, hdr: 'keep' });
    assert.equal([facts.video?.pixelFormat, facts.video?.colourTransfer], ['yuv420p', 'bt709']);
    const warnings = async (settings: OutputSettings) => (await warningsOf(ffmpeg, hdr10, settings)).join();
    assert.match(await warnings({ ...small, hdr: 'keep' }), /^hdr was corrected to tone-map: h264 does not/);
    assert.match(await warnings(hevc), /^The HDR of the input was converted to standard range/);
    assert.is(await warnings({ ...hevc, hdr: 'tone-map' }), '');
  });

  test('the metadata of the request replaces that of the input, and pq has none', async () => {
    const main10 = { ...hevc, video_codec_profile: 'main10', preserve_hdr_metadata: true } as const;
    const display = {
      ...{ red: { x: 0.708, y: 0.292 }, green: { x: 0.17, y: 0.797 }, blue: { x: 0.131, y: 0.046 } },
      ...{ white_point: { x: 0.3127, y: 0.329 }, luminance: { min: 0.0001, max: 4000 } },
    };
    const given = { ...main10, hdr_format: 'hdr10', master_display: display } as const;
    const { path } = await encodedAndProbed(ffmpeg, hdr10, given);
    const [light, mastering] = await hdrDataOf(path);
    const { red_x, green_y, min_luminance, max_luminance } = mastering ?? {};
    assert.equal(
      [red_x, green_y, min_luminance, max_luminance],
      ['35400/50000', '39850/50000', '1/10000', '40000000/10000'],
    );
    assert.is(light?.max_content, 1001);
    const plain = await encodedAndProbed(ffmpeg, hdr10, { ...main10, hdr_format: 'pq' });
    assert.is(plain.facts.video?.colourTransfer, 'smpte2084');
    assert.equal(await hdrDataOf(plain.path), []);
  });

  test('a luminance that ffprobe prints as negative is left out by name', async () => {
    const input = join(tempFolder(), 'in.mp4');
    const display = 'G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(4294967295,1)';
    await makeMedia(input, [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=10:d=0.5', '-c:v', 'libx265', '-pix_fmt', 'yuv420p10le'],
      ...['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'],
      ...['-x265-params', `log-level=none:hdr-opt=1:repeat-headers=1:master-display=${display}`],
    ]);
    const warnings = await warningsOf(ffmpeg, input, { ...hevc, hdr: 'keep' });
    assert.equal(warnings, [
      'The mastering display of the input was left out: luminance.max -0.0001 is out of range.',
    ]);
  });

  test('two passes and another size keep the metadata', async () => {
    const settings = { ...hevc, hdr: 'keep', video_bitrate: 200, width: 96 } as const;
    const { path } = await encodedAndProbed(ffmpeg, hdr10, settings);
    assert.equal(await hdrDataOf(path), await hdrDataOf(hdr10));
  });

  test('a file without the metadata or the transfer that it should have does not pass', async () => {
    const made = plan(
      [{ id: 7, settings: { ...hevc, hdr: 'keep' }, filename: 'film.mp4', isTest: false }],
      await ffmpeg.probe(hdr10),
      { input: hdr10, scratch: '/s' },
      ffmpeg.capabilities,
    );
    const [product] = made.products;
    assert.ok(product);
    const facts = await ffmpeg.probe(hdr10);
    assert.equal(verifyOutput(product, facts), { failure: null, warnings: [] });
    assert.ok(facts.video);
    const { hdr: _, ...video } = facts.video;
    assert.equal(verifyOutput(product, { ...facts, video }).warnings, [
      'The output lacks the mastering display of HDR: its encoder or its container does not store it.',
      'The output lacks the light levels of HDR: its encoder or its container does not store it.',
    ]);
    const standard = { ...video, colourTransfer: 'bt709' };
    assert.match(
      verifyOutput(product, { ...facts, video: standard }).failure?.message ?? '',
      /transfer bt709/,
    );
  });

  test('grey keeps its codes, and the thumbnails of it are tone-mapped', async () => {
    const scratch = tempFolder();
    const input = join(scratch, 'grey.mp4');
    // The code of white in PQ, 203 nits.
    const luma = Buffer.from(new Uint16Array(64 * 64).fill(573).buffer);
    const chroma = Buffer.from(new Uint16Array((64 * 64) / 2).fill(512).buffer);
    await writeFile(join(scratch, 'raw'), Buffer.concat(Array(5).fill(Buffer.concat([luma, chroma]))));
    const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p10le', '-s', '64x64', '-r', '25'];
    await makeHdr(input, { range: 'pq', input: [...raw, '-i', join(scratch, 'raw')] });
    const { path, facts } = await encodedAndProbed(ffmpeg, input, { ...hevc, hdr: 'keep', quality: 5 });
    const decoded = join(scratch, 'decoded');
    await ffmpegRaw('-i', path, '-frames:v', '1', '-f', 'rawvideo', decoded);

    const code = (await readFile(decoded)).readUInt16LE(2 * (32 * 64 + 32));
    assert.ok(Math.abs(code - 573) <= 2, `code ${code}`);
    const thumbnails = planThumbnails(
      {
        ...{ outputId: 7, path, media: facts, set: { number: 1 }, setIndex: 0 },
        ...{ inputFrameRate: null, keyframeInterval: undefined },
      },
      ffmpeg.capabilities,
    );
    assert.ok('runs' in thumbnails);
    for (const args of thumbnails.runs)
      await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
    const image = join(scratch, thumbnails.images[0] ?? '');
    await ffmpegRaw('-y', '-i', image, '-pix_fmt', 'gray', '-f', 'rawvideo', decoded);
    const grey = (await readFile(decoded))[32 * 64 + 32] ?? 0;
    // Without tone mapping it would be 148.
    assert.ok(grey > 185 && grey < 205, `grey ${grey}`);
  });

  test.run();
}
