import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PackagedPart } from '../../daemon/packaging/rendition-files.js';
import { verifyRendition } from '../../daemon/packaging/verify-rendition.js';
import { tempFolder } from '../helpers/temp.js';

/** Segments of four seconds in one file, whose bytes are the letters a, b, c and so on. */
function partOf(
  folder: string,
  count: number,
  {
    header = null,
    durations = [],
  }: { readonly header?: Buffer | null; readonly durations?: readonly number[] } = {},
): PackagedPart {
  const path = join(folder, 'film.m4s');
  const bytes = 'abcdefgh'.slice(0, count);
  writeFileSync(path, bytes);
  const segments = [...bytes].map((_, index) => ({
    segment: {
      startSeconds: index * 4,
      durationSeconds: durations[index] ?? 4,
      offset: index,
      sizeBytes: 1,
      keyframes: [],
    },
    written: { file: { path, name: 'film.m4s' }, range: { offset: index, sizeBytes: 1 }, headerBytes: 0 },
  }));
  return { kind: 'both', header, segments, encryption: null, isClosed: true };
}

/** Records what is decoded, and fails for files that contain a letter. */
function decoder(damaged = '-') {
  const runs: (readonly string[])[] = [];
  const decode = async (paths: readonly string[]) => {
    const contents = paths.map((path) => readFileSync(path, 'utf8'));
    runs.push(contents);
    if (contents.some((content) => content.includes(damaged))) throw new Error('it is broken');
  };
  return { runs, decode };
}

const options = { durationSeconds: null, name: 'check' };

async function messageOf(work: Promise<string | null>): Promise<string> {
  return work.then(
    (problem) => problem ?? 'it was verified',
    (error: unknown) => (error instanceof RangeError ? error.message : String(error)),
  );
}

test('the first segment, one in the middle and the last one are decoded with their header, in one run', async () => {
  for (const [count, expected] of [
    [5, ['Ha', 'Hc', 'He']],
    [2, ['Ha', 'Hb']],
    [1, ['Ha']],
  ] as const) {
    const folder = tempFolder();
    const { runs, decode } = decoder();
    await verifyRendition(partOf(folder, count, { header: Buffer.from('H') }), {
      ...options,
      folder,
      decode,
    });
    assert.equal(runs, [expected]);
    assert.equal(readdirSync(folder), ['film.m4s']);
  }
});

test('a damaged segment is named, and no file is left', async () => {
  const folder = tempFolder();
  const { decode } = decoder('c');
  const work = verifyRendition(partOf(folder, 5), { ...options, folder, decode });
  assert.is(await messageOf(work), 'segment 3 cannot be decoded alone (it is broken)');
  assert.equal(readdirSync(folder), ['film.m4s']);
  assert.ok(existsSync(join(folder, 'film.m4s')));
});

test('segments that can be decoded one by one are valid', async () => {
  const folder = tempFolder();
  const selections: string[] = [];
  const decode = async (paths: readonly string[], streams: string) => {
    selections.push(`${streams} of ${paths.length}`);
    if (paths.length > 1) throw new Error('there is audio without frames');
  };
  await verifyRendition(partOf(folder, 2), { ...options, folder, decode });
  const each = ['video of 1', 'chosen of 1'];
  assert.equal(selections, ['video and found audio of 2', ...each, ...each]);
});

for (const [problem, durations, durationSeconds, message] of [
  ['a gap', [4, 3, 4], null, 'the segments overlap or leave gaps'],
  ['an empty segment', [4, 0, 4], null, 'a segment is empty'],
  ['a lost end', [4, 4, 4], [20, 20], 'the segments have 12.0 seconds, and the file 20.0'],
  ['too much', [4, 4, 4], [4, 8], 'the segments have 12.0 seconds, and the file 8.0'],
] as const) {
  test(`segments with ${problem} are not delivered`, async () => {
    const folder = tempFolder();
    const { runs, decode } = decoder();
    const part = partOf(folder, 3, { durations });
    const work = verifyRendition(part, { ...options, durationSeconds, folder, decode });
    assert.is(await messageOf(work), message);
    assert.equal(runs, []);
  });
}

test.run();
