import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { capabilitiesOf, checkWithEncoders, type EncoderDeps } from '../../daemon/actions/check-outputs.js';
import { Workers } from '../../daemon/queue/remote/workers.js';
import { isVencError } from '../../src/shared/errors.js';
import { sampleJoin } from '../helpers/test-worker.js';

const settings = { video_codec: 'h264', audio_codec: 'aac' } as const;
const encoders = ['libx264', 'aac'];
const muxers = ['mp4'];
const filters = ['scale', 'setsar', 'fps', 'format', 'aformat', 'aresample', 'null', 'anull', 'pad', 'crop'];
const lists = { encoders, filters, muxers };

/** Encoders of a daemon without codecs, and of workers. */
async function createDeps(hasOwn: boolean, ...workers: readonly (typeof lists)[]): Promise<EncoderDeps> {
  const registry = new Workers({
    now: () => new Date(),
    randomToken: () => String(Math.random()),
    leaseMs: 1000,
  });
  for (const worker of workers)
    await registry.join({ ...sampleJoin, capabilities: { ...sampleJoin.capabilities, ...worker } });
  const none = new Set<string>();
  const capabilities = { version: 7, hasFpsMode: true, encoders: none, filters: none, muxers: none };
  return { ffmpeg: hasOwn ? { capabilities } : null, workers: registry };
}

test('an output is valid if the ffmpeg of a connected worker can make it', async () => {
  const none = { encoders: [], filters: [], muxers: [] };
  assert.not.ok(checkWithEncoders(await createDeps(true), settings, null, 'outputs[0]').ok);
  assert.not.ok(checkWithEncoders(await createDeps(true, none), settings, null, 'outputs[0]').ok);
  const result = checkWithEncoders(await createDeps(true, none, lists), settings, null, 'outputs[0]');
  assert.ok(result.ok, JSON.stringify(result));
  assert.ok(checkWithEncoders(await createDeps(false, lists), settings, null, 'outputs[0]').ok);
});

test('without any ffmpeg nothing can be checked', async () => {
  const without = await createDeps(false);
  assert.throws(
    () => capabilitiesOf(without),
    (error: unknown) => isVencError(error, 'UnavailableError'),
  );
});

test.run();
