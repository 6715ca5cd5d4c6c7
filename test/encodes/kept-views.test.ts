import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testFfmpeg, testVideo } from '../helpers/media.js';
import { addToSampleEntry, box } from '../helpers/mp4-boxes.js';
import { tempFolder } from '../helpers/temp.js';
import { shippedBuilds } from './shipped.js';

/*
 * Two views in a frame and views in all directions, which MP4 stores in `st3d` and `sv3d`, and transparency, as ffprobe
 * reads outputs.
 */

const { ffprobe } = await testFfmpeg();

/** A film with one view above the other, of all directions, turned by 90 degrees. */
async function sphericalFilm(): Promise<string> {
  const path = join(tempFolder(), 'in.mp4');
  const codec = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'];
  await makeMedia(path, [...testVideo('64x64', 25, 0.4), ...codec, '-preset', 'ultrafast']);
  const words = (count: number) => Buffer.alloc(4 * count);
  const pose = words(4);
  pose.writeUInt32BE(90 << 16, 4);
  const projection = box('proj', Buffer.concat([box('prhd', pose), box('equi', words(5))]));
  const header = box('svhd', Buffer.concat([words(1), Buffer.from('test\0')]));
  await addToSampleEntry(
    path,
    box('st3d', Buffer.from([0, 0, 0, 0, 1])),
    box('sv3d', Buffer.concat([header, projection])),
  );
  return path;
}

/** A film whose alpha channel is outside of its frames. */
async function transparentFilm(): Promise<string> {
  const path = join(tempFolder(), 'in.webm');
  const codec = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0', '-cpu-used', '8'];
  await makeMedia(path, [...testVideo('64x64', 25, 0.4), ...codec]);
  return path;
}

async function hasAlpha(path: string): Promise<boolean> {
  const args = ['-v', 'error', '-show_entries', 'stream_tags', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  return /"alpha_mode": "1"/i.test(stdout);
}

type SideData = Readonly<Partial<Record<'side_data_type' | 'type' | 'projection', string>>>;

async function viewsOf(path: string) {
  const args = ['-v', 'error', '-show_streams', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(ffprobe.path, args);
  const [video = {}]: readonly { readonly side_data_list?: readonly SideData[] }[] =
    JSON.parse(stdout).streams;
  const ofType = (name: string) => video.side_data_list?.find(({ side_data_type: type }) => type === name);
  return {
    stereo: ofType('Stereo 3D')?.type,
    projection: ofType('Spherical Mapping')?.projection,
  };
}

const all = { stereo: 'top and bottom', projection: 'equirectangular' };
const none = { stereo: undefined, projection: undefined };

for (const { name: build, env } of await shippedBuilds()) {
  const test = suite(build);
  const film = sphericalFilm();
  const transparent = transparentFilm();
  for (const [name, flags, expected] of [
    ['copy.mp4', ['--copy'], all],
    ['copy.mkv', ['--copy'], all],
    ['copy.ts', ['--copy'], none],
    ['encoded.mkv', ['--speed', '5'], { stereo: all.stereo }],
    ['encoded.mp4', ['--speed', '5'], {}],
  ] as const) {
    test(`${name}: two views and a projection are kept, or named`, async () => {
      const output = join(tempFolder(), name);
      const args = ['run', await film, '-o', output, '--progress', 'none', ...flags];
      const { code, stderr } = await runCli(args, { env });
      assert.is(code, 0, stderr);
      const found = await viewsOf(output);
      assert.equal({ ...found, ...expected }, found);
      assert.is(stderr.includes('lost its stereo 3D (top and bottom)'), found.stereo === undefined, stderr);
      assert.is(
        stderr.includes('lost its projection (equirectangular)'),
        found.projection === undefined,
        stderr,
      );
    });
  }

  for (const [extension, isKept] of [
    ['mkv', true],
    ['webm', true],
    ['mp4', false],
  ] as const) {
    test(`${extension}: a copy keeps transparency, or names it`, async () => {
      assert.ok(await hasAlpha(await transparent));
      const output = join(tempFolder(), `copy.${extension}`);
      const args = ['run', await transparent, '-o', output, '--progress', 'none', '--copy'];
      const { code, stderr } = await runCli(args, { env });
      assert.is(code, 0, stderr);
      assert.is(await hasAlpha(output), isKept);
      assert.is(stderr.includes('lost its transparency'), !isKept, stderr);
    });
  }
  test.run();
}
