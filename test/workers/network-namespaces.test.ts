import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons } from '../helpers/daemon-process.js';
import { logsOf, printJobHistory } from '../helpers/job-history.js';
import { film, makeMedia } from '../helpers/media.js';
import { createNetwork, findNetworkPrograms, removeNetworks } from '../helpers/network-namespace.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';
import { startWorkerFleet } from '../helpers/worker-fleet.js';
import { encodersOf, isRunning, killWorkers } from '../helpers/worker-process.js';

const name = 'workers in network namespaces';
const found = findNetworkPrograms();
const { isLong } = suiteOptions();
/** Longer than a lease. */
const longCutMs = isLong ? 120_000 : 34_000;
/** Shorter than a lease. */
const shortCutMs = isLong ? 20_000 : 8000;
/** A job is given to another worker within this time of the last heartbeat, which was sent at most 2 s before the cut. */
const maxTakenMs = 58_000;

if ('missing' in found) skipSuite(name, found);
else describe(found.ip);

function describe(ip: string): void {
  const test = suite(name);
  test.after.each(() => {
    killWorkers();
    killDaemons();
    removeNetworks();
  });

  test('of two workers that are cut off, one is back within the lease and keeps its job; the other one loses it, delivers nothing and takes jobs again', async () => {
    const beganAt = performance.now();
    const network = await createNetwork(ip);
    const fleet = await startWorkerFleet(['--host', network.address]);
    const { deliveryFolder, notifications } = fleet.fixture;
    await makeMedia(join(deliveryFolder, 'input.mp4'), film('320x240', 6));
    const start = async (worker: string, ...labels: readonly string[]) => {
      const machine = await network.addMachine();
      const { launcher } = machine;
      const args = ['--allow-plain-http', ...labels.flatMap((label) => ['--label', label])];
      return {
        machine,
        ...(await fleet.startWorker(worker, fleet.daemon.url, undefined, { args, launcher })),
      };
    };
    // The input and the output go through the daemon. An encode of this width takes some seconds.
    const create = (tag: string, label: string, width = 960) =>
      fleet.create(tag, {
        input: `file://${deliveryFolder}/input.mp4`,
        url: `file://${deliveryFolder}/${tag}.mp4`,
        ...{ requires: [label], width, upscale: true, speed: 1 },
      });
    const far = await start('far', 'long');
    const back = await start('back', 'short');
    const [longId, shortId] = [await create('long-cut', 'long'), await create('short-cut', 'short')];
    for (const worker of [far, back])
      await waitUntil(`${worker.name} encodes`, async () => (await encodersOf(worker)).length > 0);

    const [encoder = 0] = await encodersOf(far);
    for (const { machine } of [far, back]) machine.cut();
    const cutAt = performance.now();
    assert.ok(await isRunning(encoder), 'the cut is during the encode');
    // May have the jobs of both.
    const near = await start('near', 'long', 'short');
    await pause(shortCutMs - (performance.now() - cutAt));
    back.machine.restore();
    await fleet.waitUntilFinal(shortId);
    assert.is((await fleet.job(shortId)).state, 'finished');
    assert.equal(await fleet.holdersOf(shortId), ['back'], await fleet.logOf(shortId));

    await waitUntil('the job is given again', async () => (await fleet.holdersOf(longId)).length > 1);
    const takenMs = performance.now() - cutAt;
    assert.ok(takenMs < maxTakenMs, `the job was given to another worker ${takenMs} ms after the cut`);
    await fleet.waitUntilFinal(longId);
    const path = join(deliveryFolder, 'long-cut.mp4');
    const delivery = { bytes: readFileSync(path), ...identityOf(path) };
    // The only worker for the next job is the one that was cut off.
    await near.end('SIGTERM');
    await pause(Math.max(0, longCutMs - (performance.now() - cutAt)));
    assert.not.match(far.written(), /no longer holds it/);
    far.machine.restore();
    const nextId = await create('next', 'long', 64);
    await waitUntil('the worker learns that it has lost its job', () =>
      /no longer holds it/.test(far.written()),
    );
    await fleet.waitUntilFinal(nextId);
    assert.equal(await fleet.holdersOf(nextId), ['far']);

    for (const id of [longId, nextId]) assert.is((await fleet.job(id)).state, 'finished');
    assert.equal(await fleet.holdersOf(longId), ['far', 'near']);
    assert.equal({ bytes: readFileSync(path), ...identityOf(path) }, delivery, 'the file is unchanged');
    const tags = ['long-cut', 'next', 'short-cut'];
    await waitUntil('every notification is accepted', () => notifications.length >= tags.length);
    assert.equal(notifications.map(({ tag }) => tag).sort(), tags);
    const files = readdirSync(deliveryFolder).sort();
    assert.equal(files, ['input.mp4', ...tags.map((tag) => `${tag}.mp4`)]);
    const daemonLog = { name: 'daemon', text: fleet.daemon.logged() };
    printJobHistory('workers/network-namespaces', longId, [daemonLog, ...logsOf([far, near])]);
    printJobHistory('workers/network-namespaces', shortId, [daemonLog, ...logsOf([back, near])]);
    printClosingLine(
      'workers/network-namespaces',
      [
        ...[`cut for ${shortCutMs / 1000} s and ${longCutMs / 1000} s`, 'jobs 3'],
        `given to another worker after ${(takenMs / 1000).toFixed(1)} s`,
        ...[`notifications ${notifications.length}`, `files ${files.length - 1}`],
      ],
      beganAt,
    );
    for (const worker of [far, back]) await worker.end('SIGTERM');
    await fleet.close();
    await network.close();
  });

  test.run();
}

/** Which file is at a path, and when it was written: a second delivery replaces it. */
function identityOf(path: string): { readonly inode: number; readonly changedAt: number } {
  const { ino, mtimeMs } = statSync(path);
  return { inode: ino, changedAt: mtimeMs };
}
