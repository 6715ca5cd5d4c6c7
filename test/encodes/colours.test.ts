import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { farthest, patches, patchesIn, patchFilm, readColourTags } from './patches.js';
import { runShipped, shippedBuilds } from './shipped.js';

const folder = tempFolder();
const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4'] as const;

/** Videos without colour tags: size, conversion, and the matrix that players assume for the size. */
const untagged = [
  { name: 'hd.mp4', size: [1280, 720], matrix: 'bt709', tags: 'bt709,bt709,bt709' },
  { name: 'sd.mp4', size: [640, 480], matrix: 'bt601', tags: 'smpte170m,smpte170m,smpte170m' },
] as const;

for (const { name, size, matrix } of untagged) {
  const encoder = ['-pix_fmt', 'yuv420p', ...lossless];
  await patchFilm(join(folder, name), size, { scale: `out_color_matrix=${matrix}:out_range=tv`, encoder });
}
await patchFilm(join(folder, 'full.mov'), [640, 480], {
  scale: 'out_color_matrix=bt601:out_range=pc',
  encoder: ['-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-q:v', '1'],
});
await patchFilm(join(folder, 'full.mp4'), [1280, 720], {
  scale: 'out_color_matrix=bt709:out_range=pc',
  encoder: ['-pix_fmt', 'yuv420p', ...lossless, '-color_range', 'pc'],
});
await patchFilm(join(folder, 'rgb.mov'), [640, 480], {
  scale: '640:480',
  encoder: ['-c:v', 'png', '-pix_fmt', 'rgb24'],
});

// Hidden red below full transparency on the left, opaque green on the right.
const hidden =
  "color=c=red:s=160x120:r=25:d=0.2,format=gbrap,geq=r='if(lt(X,80),255,0)':g='if(lt(X,80),0,255)':b=0:a='if(lt(X,80),0,255)'";
const transparent = {
  'alpha-qtrle.mov': ['-c:v', 'qtrle', '-pix_fmt', 'argb'],
  'alpha-prores.mov': ['-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuva444p10le'],
  'alpha-vp9.webm': [
    '-c:v',
    'libvpx-vp9',
    '-pix_fmt',
    'yuva420p',
    '-crf',
    '10',
    '-b:v',
    '0',
    '-auto-alt-ref',
    '0',
  ],
} as const;
for (const [name, encoder] of Object.entries(transparent)) {
  await ffmpegRaw('-f', 'lavfi', '-i', hidden, ...encoder, join(folder, name));
}

const quick = ['--speed', '5', '--quality', '5'] as const;
const half = ['--width', '320'] as const;

for (const build of await shippedBuilds()) {
  const test = suite(`colours, ${build.name}`);

  for (const { name, matrix, tags } of untagged) {
    test(`${name}, which has no colour tags, keeps its colours in another size, gets tags, and has the same colours in thumbnails`, async () => {
      const output = await runShipped(build, join(folder, name), 'out.mp4', [
        ...quick,
        ...half,
        '--thumbnails',
        '1',
      ]);
      assert.is(await readColourTags(output), `yuv420p,tv,${tags}`);
      assert.ok(farthest(await patchesIn(output, { matrix, range: 'tv' }), patches) <= 6);
      const thumbnail = join(output, '..', 'out_0000.png');
      const found = await patchesIn(thumbnail, { matrix: 'bt601', range: 'pc' });
      assert.ok(farthest(found, patches) <= 6, JSON.stringify(found));
    });
  }

  for (const [codec, name] of [
    ['hevc', 'out.mp4'],
    ['vp9', 'out.webm'],
    ['av1', 'out.mp4'],
    ['vp8', 'out.webm'],
    ['theora', 'out.mkv'],
  ] as const) {
    test(`an untagged HD video encoded as ${codec} has the colours that its tags declare`, async () => {
      const words = [...quick, ...half, '--video-codec', codec];
      const output = await runShipped(build, join(folder, 'hd.mp4'), name, words);
      const isOnlyBt601 = codec === 'vp8' || codec === 'theora';
      const [format, range = '', matrix = ''] = (await readColourTags(output)).split(',');
      assert.is(format, 'yuv420p');
      assert.ok(['tv', 'unknown'].includes(range), range);
      assert.match(matrix, isOnlyBt601 ? /^(?:smpte170m|bt470bg|unknown)$/ : /^bt709$/);
      const found = await patchesIn(output, { matrix: isOnlyBt601 ? 'bt601' : 'bt709', range: 'tv' });
      assert.ok(farthest(found, patches) <= 8, JSON.stringify(found));
    });
  }

  for (const [name, matrix] of [
    ['full.mov', 'bt601'],
    ['full.mp4', 'bt709'],
    ['rgb.mov', 'bt601'],
  ] as const) {
    for (const words of [[], half]) {
      test(`${name} is encoded in limited range${words.length > 0 ? ' when it is scaled' : ''}`, async () => {
        const output = await runShipped(build, join(folder, name), 'out.mp4', [...quick, ...words]);
        assert.match(await readColourTags(output), /^yuv420p,tv,/);
        const found = await patchesIn(output, { matrix, range: 'tv' });
        assert.ok(farthest(found, patches) <= 6, JSON.stringify(found));
      });
    }
  }

  for (const name of Object.keys(transparent)) {
    test(`${name}: transparent pixels become black`, async () => {
      const output = await runShipped(build, join(folder, name), 'out.mp4', [...quick, '--thumbnails', '1']);
      const [left, , , right] = await patchesIn(output, { matrix: 'bt601', range: 'tv' });
      assert.ok(
        farthest(
          [left ?? [0, 0, 0], right ?? [0, 0, 0]],
          [
            [0, 0, 0],
            [0, 255, 0],
          ],
        ) <= 12,
        `${left}; ${right}`,
      );
      const [hiddenPart] = await patchesIn(join(output, '..', 'out_0000.png'), {
        matrix: 'bt601',
        range: 'pc',
      });
      assert.ok(farthest([hiddenPart ?? [255, 255, 255]], [[0, 0, 0]]) <= 12, `${hiddenPart}`);
    });
  }

  test.run();
}
