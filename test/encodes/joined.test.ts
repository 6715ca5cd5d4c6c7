import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ffmpegRaw, measureOutput } from '../contracts/odd-input.js';
import { tempFolder } from '../helpers/temp.js';
import { buildPaths, type ShippedEncoder, startShipped } from './shipped-run.js';

/* Transport streams that were joined with `cat`: their clocks jump between the recordings. */

const folder = tempFolder();

/** Makes a four-second recording that starts at a given second of the clock. */
async function recording(beginsAt: number, size = '160x120'): Promise<Buffer> {
  const path = join(folder, `${beginsAt}-${size}.ts`);
  await ffmpegRaw(
    ...[
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=${size}:rate=25:duration=4`,
      '-f',
      'lavfi',
      '-i',
      'sine=duration=4',
    ],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-output_ts_offset', String(beginsAt), path],
  );
  return await readFile(path);
}

const [early, late, large] = await Promise.all([recording(0), recording(500), recording(900, '320x240')]);
const joins = [
  ['forward', [early, late], 8],
  ['back', [late, early], 8],
  ['back to the beginning', [early, early], 8],
  ['forward and back', [early, late, early], 12],
  ['forward to another size', [early, large], 8],
] as const;

for (const [build, ffmpeg] of await buildPaths()) {
  const test = suite<{ encoder: ShippedEncoder }>(`joined, ${build}`);
  test.before(async (context) => {
    context.encoder = await startShipped(ffmpeg);
  });
  test.after(({ encoder }) => encoder.end());

  for (const [what, parts, seconds] of joins) {
    test(`a transport stream whose clock jumps ${what} is encoded completely and has the right length`, async ({
      encoder,
    }) => {
      const input = join(folder, `${what.replaceAll(' ', '-')}.ts`);
      await writeFile(input, Buffer.concat(parts));
      const { path, job } = await encoder.encoded(input, { speed: 5, width: 160, height: 120 });
      assert.is(job.state, 'finished', JSON.stringify(job.output_media_files));
      const found = await measureOutput(path);
      assert.ok(Math.abs(found.seconds - seconds) < 0.2, `${found.seconds} seconds`);
      assert.ok(Math.abs(found.frames - seconds * 25) <= 2, `${found.frames} frames`);
      const [output] = job.output_media_files;
      for (const milliseconds of [job.input_media_file.duration_in_ms, output?.duration_in_ms]) {
        assert.ok(Math.abs((milliseconds ?? 0) - seconds * 1000) < 300, `${milliseconds} ms`);
      }
    });
  }

  test.run();
}
