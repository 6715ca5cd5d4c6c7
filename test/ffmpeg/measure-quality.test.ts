import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findContainment } from '../../daemon/ffmpeg/containment/find-containment.js';
import { UsageMeter } from '../../daemon/ffmpeg/containment/usage-meter.js';
import type { EncodeOptions } from '../../daemon/ffmpeg/index.js';
import { measureQuality } from '../../daemon/ffmpeg/quality/measure-quality.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const folder = tempFolder();
const containment = await findContainment({
  searchPath: process.env.PATH ?? '',
  sandbox: 'none',
  threads: null,
  isIoIdle: false,
});
const { ffmpeg, limits } = await testFfmpeg();

/** A program that measures, and fails at once. */
const failing = join(folder, 'failing');
await writeFile(failing, '#!/bin/sh\necho "pipe: Invalid data found when processing input" >&2\nexit 1\n');
await chmod(failing, 0o755);

/** What a decoder does that waits for a reader of its pipe. */
const waits = ({ signal }: EncodeOptions) =>
  new Promise<void>((_, reject) => {
    signal.addEventListener('abort', () => reject(new VencError('InterruptedError', 'It was ended.')));
  });

/** Measures with the program that fails and with given decoders, and returns the error. */
async function errorWith(
  decodeOutput: (options: EncodeOptions, measurerEnded: Promise<void>) => Promise<void>,
): Promise<unknown> {
  const meter = new UsageMeter(undefined);
  let reportEnd = () => {};
  const measurerEnded = new Promise<void>((resolve) => {
    reportEnd = resolve;
  });
  const size = { width: 160, height: 90 };
  const frames = { args: [], side: { size, matrix: 'bt709', isFullRange: false, isDeep: false } };
  return measureQuality(
    { program: 'ffmpeg', binary: { ...ffmpeg, path: failing } },
    { metric: 'vmaf', seconds: 1, output: frames, reference: frames },
    {
      ...{ containment, meter, limits, memoryBytes: 1e9 },
      run: (args, options) =>
        String(args.at(-1)).endsWith('output.nut') ? decodeOutput(options, measurerEnded) : waits(options),
    },
    {
      ...{ scratch: folder, signal: new AbortController().signal, onProgress: () => {} },
      onStderr: () => reportEnd(),
    },
  ).catch((error: unknown) => error);
}

test('the error of a decoder wins, although the program that measures reports first', async () => {
  const error = await errorWith(async (_, measurerEnded) => {
    await measurerEnded;
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    throw new VencError('MemoryLimitError', 'The decoder needed too much memory.');
  });
  assert.ok(isVencError(error, 'MemoryLimitError'), String(error));
});

test('decoders that wait for a reader are ended, and the measurement has failed', async () => {
  const error = await errorWith(waits);
  assert.ok(isVencError(error, 'QualityError'), String(error));
  assert.match(error.message, /^The measurement failed/);
});

test('a decoder that cannot write is not the cause', async () => {
  const error = await errorWith(async () => {
    throw new VencError('TranscodingError', 'Error writing trailer: Broken pipe');
  });
  assert.match(String(error), /The measurement failed/);
});

test.run();
