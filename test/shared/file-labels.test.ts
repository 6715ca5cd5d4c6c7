import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  hasGeneratedName,
  inputFileName,
  inputLocation,
  outputLabels,
} from '../../src/shared/file-labels.js';

const token = '0123456789abcdef0123456789abcdef';
const hosted = `http://127.0.0.1:8686/hosted/${token}/${token}.mp4`;

function job(
  url: string | null,
  outputs: readonly [label: string | null, url: string | null][],
  name?: string,
) {
  return {
    ...(name === undefined ? {} : { input_name: name }),
    input_media_file: { url },
    output_media_files: outputs.map(([label, outputUrl], index) => ({
      id: 2 + index,
      label,
      url: outputUrl,
    })),
  };
}

function labels(record: ReturnType<typeof job>): readonly string[] {
  return [...outputLabels(record)].map(([id, name]) => `${id} ${name}`);
}

test('the input is named by its path, else by the name of the upload, else by its URL without password', () => {
  const inputs = [
    job('upload://abc/trailer.mov', [], '/home/ada/films/trailer.mov'),
    job('upload://abc/a%20b.mov', []),
    job('https://ada:secret@example.com/films/c.mov?x=1', []),
    job('https://example.com/', []),
    job(null, []),
  ];
  assert.equal(
    inputs.map((one) => [inputLocation(one), inputFileName(one)]),
    [
      ['/home/ada/films/trailer.mov', 'trailer.mov'],
      ['a b.mov', 'a b.mov'],
      ['https://ada@example.com/films/c.mov?x=1', 'c.mov'],
      ['https://example.com/', 'https://example.com/'],
      [null, null],
    ],
  );
});

test('an output without a label and a file name is named by the input, never by its generated name', () => {
  assert.equal(labels(job('upload://abc/trailer.mov', [[null, hosted]])), ['2 trailer.mp4']);
  assert.equal(
    labels(
      job('upload://abc/trailer.mov', [
        [null, hosted],
        ['web', hosted],
        [null, hosted],
        [null, 's3://films/x.mp4'],
      ]),
    ),
    ['2 trailer-1.mp4', '3 web', '4 trailer-3.mp4', '5 x.mp4'],
  );
  assert.equal(labels(job(null, [[null, hosted]])), [], 'nothing is known');
});

test('a chosen name of 32 digits is not a generated one', () => {
  assert.not(hasGeneratedName(`http://127.0.0.1/hosted/${token}/${token.replace('0', 'f')}.mp4`));
  assert.ok(hasGeneratedName(`https://cdn.example.com/${token}.mp4`));
});

test.run();
