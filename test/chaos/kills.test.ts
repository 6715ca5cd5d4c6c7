import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFinal } from '../../src/shared/states.js';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import {
  checkFiles,
  checkJobs,
  checkLeftovers,
  checkNotifications,
  checkUsage,
  listAll,
} from '../helpers/chaos/kill-checks.js';
import { startKillFixture } from '../helpers/chaos/kill-fixture.js';
import { type KillLoad, runLoad, sendCreate } from '../helpers/chaos/kill-load.js';
import { createKillModel, existingJobs } from '../helpers/chaos/kill-model.js';
import { type ProcessInfo, processesOf } from '../helpers/chaos/processes.js';
import { type DaemonProcess, killDaemons, spawnVenc, startDaemonProcess } from '../helpers/daemon-process.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite('a daemon that is killed under load');
test.after(killDaemons);

const shortRounds = 25;
const longRounds = 1000;
/** Every such round, a daemon that runs no jobs shows what the kills left behind. */
const quietShare = 5;
const environmentName = 'VENC_CHAOS_ROUNDS';

test('everything that a killed daemon acknowledged survives, once and whole', async () => {
  const chaos = openChaosSuite('kills');
  const { choices, isLong } = chaos;
  const rounds = Number(process.env[environmentName] ?? (isLong ? longRounds : shortRounds));
  const model = createKillModel();
  const fixture = await startKillFixture(() => model.generation);
  const load: KillLoad = { model, choices, fixture };
  let files = 0;

  // Every start has the same roots: without them it could not remove what a killed daemon had delivered.
  const argsOf = (jobs: number) => [
    ...['--jobs', String(jobs), '--min-free', '0'],
    ...['--files-root', fixture.deliveryFolder],
  ];
  const start = async (jobs: number): Promise<DaemonProcess> => {
    model.generation += 1;
    const daemon = await startDaemonProcess(fixture.dataFolder, argsOf(jobs), fixture.env);
    const found = processesOf(fixture.dataFolder);
    // In a sandbox, a program is not a child of the daemon, but of the program that contains it.
    const isOwn = ({ pid, parentPid }: ProcessInfo): boolean =>
      [pid, parentPid].includes(daemon.pid) || found.some((one) => one.pid === parentPid && isOwn(one));
    const strangers = found.filter((one) => !isOwn(one));
    assert.equal(strangers, [], 'processes of a killed daemon still run');
    return daemon;
  };
  const killDuringStart = async () => {
    model.generation += 1;
    const child = spawnVenc(
      ['daemon', '--port', '0', '--data', fixture.dataFolder, ...argsOf(2)],
      fixture.env,
    );
    await pause(choices.number(50, 700));
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  const checkQuietly = async () => {
    const daemon = await start(0);
    await checkJobs(daemon, load);
    await checkLeftovers(daemon, load);
    await daemon.end('SIGKILL');
  };

  try {
    for (let round = 1; round <= rounds; round += 1) {
      if (choices.happens(0.15)) await killDuringStart();
      const daemon = await start(2);
      await checkJobs(daemon, load);
      files += await checkFiles(daemon, load);
      for (const job of choices.sample(
        model.jobs.filter(({ key, removed }) => key !== null && removed === 'no'),
        3,
      ))
        await sendCreate(daemon, model, job);
      const running = runLoad(daemon, load);
      // Long enough for some encodes and transfers to end, and short enough to interrupt others.
      await Promise.race([pause(choices.number(100, 1800)), running]);
      await daemon.end('SIGKILL');
      await running;
      if (round % quietShare === 0) await checkQuietly();
    }
    const last = await start(2);
    await waitUntilFinal(last);
    await checkJobs(last, load);
    files += await checkFiles(last, load);
    await checkUsage(last, load);
    await waitUntil('no notification is pending', () => pendingOf(load).length === 0).catch(() => {});
    checkNotifications(load);
    assert.is(await last.end('SIGTERM'), 0, last.logged());
    await checkQuietly();
    assert.equal(processesOf(fixture.dataFolder), [], 'processes that outlive their daemon');
  } finally {
    await fixture.close();
  }
  chaos.close({ rounds, ...model.counts, files, notifications: fixture.notifications.length });
});

async function waitUntilFinal(daemon: DaemonProcess): Promise<void> {
  const limitMs = 300_000;
  const end = performance.now() + limitMs;
  for (;;) {
    const unfinished = (await listAll(daemon)).filter(({ state }) => !isFinal(state));
    if (unfinished.length === 0) return;
    assert.ok(
      performance.now() < end,
      `not final: ${unfinished.map(({ id, state }) => `${id} ${state}`).join(', ')}`,
    );
    await pause(100);
  }
}

/** The jobs whose end no accepted notification has reported yet. */
function pendingOf({ model, fixture }: KillLoad): readonly string[] {
  const accepted = fixture.notifications.filter((one) => one.isAccepted);
  return existingJobs(model)
    .filter(({ tag, settled }) => !accepted.some((one) => one.tag === tag && one.state === settled))
    .map(({ tag }) => tag);
}

test.run();
