import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outsOf, withLadderFolder } from '../../../src/cli/destinations/resolve-destinations.js';
import { oneInput } from '../../../src/cli/input/find-inputs.js';
import type { CreateArgs } from '../../../src/cli/input/job-args.js';

const placed = (options: CreateArgs) => outsOf(withLadderFolder(options), oneInput('a/film.mp4'));

const folders: readonly (readonly [string, CreateArgs, readonly string[]])[] = [
  ['the value of --hls', { hls: 'out' }, ['out/']],
  ['the path in a file URL', { hls: 'file:///tmp/a%20b/' }, ['/tmp/a b/']],
  ['the -o', { dash: true, out: ['out//'] }, ['out/']],
  ['the path in the file URL of -o', { hls: true, dash: true, out: ['FILE:///tmp/x'] }, ['/tmp/x/']],
  ['the name of the input', { hls: true }, ['film/']],
  ['that of the outputs if it is a URL', { hls: 's3://bucket/film' }, []],
];
for (const [what, options, expected] of folders)
  test(`the folder of a ladder is ${what}`, () => {
    assert.equal(placed(options), expected);
  });

test('a URL of -o is the folder of a ladder', () => {
  assert.is(withLadderFolder({ hls: true, out: ['s3://bucket/film'] }).hls, 's3://bucket/film');
  assert.is(withLadderFolder({ dash: true, out: ['s3://bucket/film'] }).dash, 's3://bucket/film');
});

test('without a ladder, -o stays as it is', () => {
  assert.equal(placed({ out: ['a.mp4', 'b.mp4'] }), ['a.mp4', 'b.mp4']);
});

test('a ladder has one folder on this machine or elsewhere', () => {
  assert.throws(() => placed({ hls: 'a', out: ['b'] }), /give one of them/);
  assert.throws(() => placed({ hls: true, out: ['a', 'b'] }), /-o names one folder, not 2/);
  assert.throws(() => placed({ hls: 'file://host/x' }), /is not a file on this machine/);
});

test.run();
