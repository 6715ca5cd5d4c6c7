import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount, setMode } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { QueueRecord } from '../../src/shared/records.js';
import { encoderStates } from '../helpers/chaos/processes.js';
import { daemonSuite } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { pollUntil, settleEventLoop, waitUntil } from '../helpers/wait-until.js';

const test = daemonSuite('pauses of the owner and of accounts', { jobs: 2 });

test('each stops its own encodes, and a job encodes when no pause holds for it', async ({ daemon }) => {
  const film = readFileSync(await media('long.mp4'));
  const setup = openFolderSetup(daemon.dataFolder);
  const of = async (name: string) => {
    const { key } = await createAccount(setup, name);
    await setMode(setup, name, { isIntegration: false });
    const send = (path: string, method: string, body?: object | Buffer) =>
      fetch(`${daemon.url}${path}`, {
        method,
        headers: { 'Service-Api-Key': key },
        ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
    const create = async (output: object) => {
      const { url: input } = (await (await send('/v2/uploads/a.mp4', 'PUT', film)).json()) as { url: string };
      const created = await send('/v2/jobs', 'POST', { input, outputs: [output] });
      return Number(((await created.json()) as { id: string }).id);
    };
    const change = async (what: 'pause' | 'resume', body?: object) =>
      (await (await send(`/v2/queue/${what}`, 'PUT', body)).json()) as QueueRecord;
    return { create, change };
  };
  const [anna, ben] = [await of('anna'), await of('ben')];
  const owner = (what: 'pause' | 'resume', body: object = {}) =>
    daemon.request(`/v2/queue/${what}`, {
      method: 'PUT',
      ...(what === 'pause' && { body: JSON.stringify(body) }),
    });
  const now = { now: true };
  const slow = { speed: 1, width: 1280, upscale: true, clip_length: 6 };
  const ids = [await anna.create(slow), await ben.create(slow)];
  /** Waits until the encoders of the two jobs stand still (`T`) or run (`-`). */
  const states = (expected: string) =>
    waitUntil(`the encoders are ${expected}`, () => {
      const found = ids.map((id) => encoderStates(join(daemon.dataFolder, 'scratch', `${id}/`)));
      return (
        found.map((state) => (/^T+$/.test(state) ? 'T' : state === '' ? '?' : '-')).join('') === expected
      );
    });

  await states('--');
  await Promise.all([anna.change('pause', now), ben.change('pause', now), owner('pause', now)]);
  await states('TT');
  assert.equal((await anna.change('resume')).reason, 'daemon', 'the pause of the owner still holds');
  await states('TT');
  await owner('resume');
  await states('-T');
  await ben.change('resume');
  await states('--');
  // A pause of the owner that stops no encode leaves those of an account stopped.
  await Promise.all([ben.change('pause', now), owner('pause')]);
  await states('-T');
  const later = await anna.create({ width: 64, clip_length: 1 });
  await settleEventLoop(() => daemon.request('/v2/queue'));
  assert.equal(encoderStates(join(daemon.dataFolder, 'scratch', `${later}/`)), '');
  await owner('resume');
  await ben.change('resume');
  const ended = (line: string) => / (finished|failed)/.test(line);
  await pollUntil(
    () =>
      [...ids, later].filter((id) =>
        daemon.logLines.some((line) => line.includes(`Job ${id}`) && ended(line)),
      ),
    (found) => found.length === 3,
  );
  assert.not.match(daemon.logLines.join('\n'), / failed/);
});

test.run();
