import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noContainment } from '../../daemon/ffmpeg/containment/find-containment.js';
import { UsageMeter } from '../../daemon/ffmpeg/containment/usage-meter.js';
import { findDisplayedFrame, measureVideo } from '../../daemon/ffmpeg/probe/measure-streams.js';
import { launchFfprobe, runFfprobe } from '../../daemon/ffmpeg/probe/run-ffprobe.js';
import { createMailSender } from '../../daemon/webhooks/mail-sender.js';
import { isVencError } from '../../src/shared/errors.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Time limits of programs that do not end, while the garbage is collected all the time. Node 20 collects the signal of `AbortSignal.timeout` if
 * only `AbortSignal.any` refers to it, and the program would run for ever.
 */
const test = suite('time limits during garbage collections');

const { signal } = new AbortController();
const settings = { containment: noContainment, meter: new UsageMeter(undefined), memoryBytes: 1e9 };
let collecting: NodeJS.Timeout;

test.before(() => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collecting = setInterval(collect, 20);
});
test.after(() => clearInterval(collecting));

/** A program that runs for a minute, whatever its arguments. */
async function slowProgram(name: string): Promise<string> {
  const path = join(tempFolder(), name);
  await writeFile(path, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  return path;
}

const slowFfprobe = async () => ({
  path: await slowProgram('ffprobe'),
  version: '7.0',
  source: 'PATH' as const,
});

test('a combined signal is aborted with the reason of a timeout', async () => {
  const aborted = await new Promise<unknown>((resolve) => {
    const both = AbortSignal.any([signal, timeoutSignal(300)]);
    both.addEventListener('abort', () => resolve(both.reason));
  });
  assert.is((aborted as Error).name, 'TimeoutError');
});

test('measurements of a file end', async () => {
  const ffprobe = await slowFfprobe();
  assert.is(await measureVideo(ffprobe, '/dev/null', { ...settings, seconds: 0.3 }, signal), null);
  const moment = { streamIndex: 0, seconds: 1 };
  assert.is(
    await findDisplayedFrame(ffprobe, '/dev/null', moment, { ...settings, seconds: 0.3 }, signal),
    null,
  );
});

test('the deadline of a probe ends a further run of ffprobe on the same file', async () => {
  const quick = join(tempFolder(), 'ffprobe');
  await writeFile(quick, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const probe = { settings: { ...settings, seconds: 1 }, subject: 'the file', signal };
  const { deadlineSignal } = await runFfprobe(
    { path: quick, version: '7.0', source: 'PATH' },
    [],
    '/dev/null',
    { ...probe, timeoutErrorClass: 'TranscodingTimeoutError' },
  );
  const options = { settings: probe.settings, signal: deadlineSignal, onStdout: () => undefined };
  const exit = await launchFfprobe(await slowFfprobe(), [], '/dev/null', options);
  assert.is.not(exit.signal, null);
  const late: unknown = await runFfprobe(await slowFfprobe(), [], '/dev/null', {
    ...{ ...probe, settings: { ...settings, seconds: 0.3 } },
    timeoutErrorClass: 'TranscodingTimeoutError',
  }).catch((error: unknown) => error);
  assert.ok(isVencError(late, 'TranscodingTimeoutError'));
});

test('a mail program is ended', async () => {
  const send = createMailSender(await slowProgram('sendmail'), 300);
  assert.match((await send('Subject: x\n\ny\n', signal)) ?? '', /did not end within 0\.3 seconds/);
});

test.run();
