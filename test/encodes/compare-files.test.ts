import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareFiles } from '../../daemon/app/compare-files.js';
import { isVencError } from '../../src/shared/errors.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { independentVmaf } from '../helpers/independent-vmaf.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * What `venc compare` finds in files with planted damage. All films have 8 frames per second, so that a measurement takes a second.
 */
const { measurer } = await testFfmpeg();
const test = suite('comparisons of files');
const folder = tempFolder();
const rate = 8;

const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'] as const;
const lossless = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'] as const;

const at = (name: string) => join(folder, name);

async function make(name: string, ...args: readonly string[]): Promise<string> {
  await ffmpegRaw(...args, at(name));
  return at(name);
}

const source = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${rate}:d=${seconds}`];

const compare = (file: string, reference: string, framesFolder: string | null = null) =>
  compareFiles([file, reference], {
    ...{ ffmpeg: process.env.VENC_FFMPEG ?? null, ffprobe: process.env.VENC_FFPROBE ?? null },
    ...{ sandbox: 'auto', metric: 'vmaf', framesFolder },
    signal: new AbortController().signal,
    onProgress: () => {},
  });

const film = await make('film.mkv', ...source(3), ...lossless);
const encoded = await make('encoded.mp4', '-i', film, ...h264, '-crf', '28');

if (measurer === null) process.stdout.write('skipped: no ffmpeg with libvmaf\n');
else {
  test('the mean is that of an independent command, and the worst frame becomes an image', async () => {
    const images = join(folder, 'images');
    const { quality, warnings, image } = await compare(encoded, film, images);
    const expected = await independentVmaf(encoded, film, folder);
    assert.ok(Math.abs(quality.mean - expected) < 0.2, `${quality.mean}, not ${expected}`);
    assert.equal(warnings, []);
    const { frames, subsample, model, reference, worst_second: worst, percentile_5: low } = quality;
    assert.equal(
      { frames, subsample, model, reference },
      { frames: 24, subsample: 1, model: 'vmaf_v0.6.1', reference: 'file' },
    );
    assert.ok(worst.score <= quality.mean && low <= quality.mean && quality.harmonic_mean <= quality.mean);
    assert.is(quality.scores.length, 3);
    assert.ok(image?.startsWith(images));
    await access(image ?? '');
  });

  test('the times of a file do not matter', async () => {
    const matroska = await make('encoded.mkv', '-i', encoded, '-c', 'copy');
    const [first, second] = [await compare(encoded, film), await compare(matroska, film)];
    assert.is(second.quality.mean, first.quality.mean);
  });

  test('a film that is one frame late scores much lower', async () => {
    const late = 'tpad=start=1:start_mode=clone,trim=end_frame=24';
    const shifted = await make('shifted.mp4', '-i', film, '-vf', late, ...h264, '-crf', '18');
    const { quality } = await compare(shifted, film);
    assert.ok(quality.mean < 60, `${quality.mean}`);
  });

  test('a missing frame is an error with both counts', async () => {
    const short = await make(
      'short.mp4',
      '-i',
      film,
      '-vf',
      'select=not(eq(n\\,9))',
      '-vsync',
      'vfr',
      ...h264,
    );
    const error = await compare(short, film).catch((reason: unknown) => reason);
    assert.ok(isVencError(error, 'QualityError'));
    assert.match(error.message, /has 23 frames.*24/);
  });

  test('full range that is declared as limited is named, although the score does not show it', async () => {
    const filter = 'scale=in_range=tv:out_range=pc,setparams=range=tv';
    const full = await make(
      'full.mp4',
      '-i',
      film,
      '-vf',
      filter,
      '-color_range',
      'tv',
      ...h264,
      '-crf',
      '10',
    );
    const { quality, warnings } = await compare(full, film);
    assert.ok(quality.mean > 95);
    assert.match(warnings.join(), /has full range that it does not declare: the mean luma is/);
  });

  test('declared full range is converted, and named', async () => {
    const full = await make(
      'declared.mp4',
      '-i',
      film,
      '-vf',
      'scale=in_range=tv:out_range=pc',
      '-color_range',
      'pc',
      ...h264,
      '-crf',
      '10',
      '-pix_fmt',
      'yuvj420p',
    );
    const limited = await make('limited.mp4', '-i', film, '-color_range', 'tv', ...h264, '-crf', '10');
    const { quality, warnings } = await compare(full, limited);
    assert.ok(Math.abs(quality.luma.output - quality.luma.reference) < 0.5);
    assert.is(quality.range.output, 'full');
    assert.match(warnings.join(), /The video declares full range, and its reference (?:no|limited) range/);
  });

  const second = 'enable=between(t\\,1\\,1.99)';
  const damages = {
    blurred: `boxblur=12:${second}`,
    blocks: `split[a][b];[b]scale=20:12,scale=320:180:flags=neighbor[c];[a][c]overlay=${second}`,
  } as const;
  for (const [name, filter] of Object.entries(damages))
    test(`the worst second is the damaged one: ${name}`, async () => {
      const faulty = await make(`${name}.mp4`, '-i', film, '-vf', filter, ...h264, '-crf', '18');
      const { quality } = await compare(faulty, film);
      assert.is(quality.worst_second.time, 1);
      assert.ok(quality.worst_second.score < quality.mean - 20, `${quality.worst_second.score}`);
    });

  test('a wrong field order scores lower than the right one', async () => {
    const moving = `testsrc2=s=320x180:r=${2 * rate}:d=2,scroll=h=0.02`;
    const fields = await make(
      'fields.mkv',
      '-f',
      'lavfi',
      '-i',
      moving,
      '-vf',
      'tinterlace=interleave_top,setfield=tff',
      ...h264,
      '-x264opts',
      'tff=1',
      '-vsync',
      'passthrough',
      '-flags',
      '+ilme+ildct',
      '-crf',
      '5',
    );
    const deinterlaced = (parity: string) =>
      make(
        `${parity}.mp4`,
        '-i',
        fields,
        '-vf',
        `bwdif=mode=send_frame:parity=${parity}:deint=all`,
        '-vsync',
        'passthrough',
        ...h264,
        '-crf',
        '12',
      );
    const [right, wrong] = [
      await compare(await deinterlaced('tff'), fields),
      await compare(await deinterlaced('bff'), fields),
    ];
    assert.match(right.warnings.join(), /fields\.mkv is interlaced and was deinterlaced/);
    assert.ok(right.quality.mean > wrong.quality.mean + 10, `${right.quality.mean} ${wrong.quality.mean}`);
  });

  test('a single frame, black, and uneven frames are measured', async () => {
    const one = await make('one.mp4', '-i', film, '-frames:v', '1', ...h264);
    const oneFilm = await make('one.mkv', '-i', film, '-frames:v', '1', ...lossless);
    assert.is((await compare(one, oneFilm)).quality.frames, 1);
    const black = await make('black.mkv', '-f', 'lavfi', '-i', 'color=black:s=320x180:r=8:d=1', ...lossless);
    const blackEncoded = await make('black.mp4', '-i', black, ...h264);
    assert.ok((await compare(blackEncoded, black)).quality.mean > 95);
    const chosen = ['-vf', 'select=gt(mod(n\\,5)\\,1)', '-vsync', 'vfr', '-enc_time_base', '1:1000'];
    const uneven = await make('uneven.mp4', '-i', film, ...chosen, ...h264, '-crf', '28');
    const again = await make(
      'uneven2.mkv',
      '-i',
      uneven,
      '-vsync',
      'passthrough',
      '-enc_time_base',
      '1:1000',
      ...h264,
      '-crf',
      '30',
    );
    const { quality } = await compare(again, uneven);
    assert.is(quality.frames, 14);
    assert.is(quality.scores.length, 3);
  });

  test('a rotated and a smaller file are measured as they are displayed', async () => {
    const stored = await make('stored.mp4', '-i', film, '-vf', 'transpose=cclock', ...h264, '-crf', '12');
    const turned = await make('turned.mp4', '-i', stored, '-c', 'copy', '-metadata:s:v:0', 'rotate=270');
    assert.ok((await compare(turned, film)).quality.mean > 85);
    const small = await make(
      'small.mp4',
      '-i',
      film,
      '-vf',
      'scale=160:90:flags=bicubic',
      ...h264,
      '-crf',
      '12',
    );
    const { quality } = await compare(small, film);
    assert.ok(quality.mean < 80, `${quality.mean}`);
  });

  test('HDR is converted to compare it with standard range', async () => {
    const pq = ['-color_trc', 'smpte2084', '-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'];
    const hdr = await make('hdr.mp4', '-i', film, ...h264, ...pq);
    const { warnings } = await compare(encoded, hdr);
    assert.match(
      warnings.join(),
      /hdr\.mp4 is HDR and (?:was converted to standard range|this ffmpeg cannot)/,
    );
    assert.match((await compare(hdr, hdr)).warnings.join(), /made for standard range/);
  });

  test('a file without video is an error that names it', async () => {
    const tone = await make('tone.mp3', '-f', 'lavfi', '-i', 'sine=d=1');
    const error = await compare(tone, film).catch((reason: unknown) => reason);
    assert.ok(isVencError(error, 'NoMediaError'));
    assert.match(error.message, /tone\.mp3 has no video/);
  });
}

test.run();
