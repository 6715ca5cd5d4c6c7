import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons } from '../helpers/daemon-process.js';
import {
  createAt,
  deliveryUrl,
  findDatabasePrograms,
  isDelivered,
  jobAt,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { waitUntil } from '../helpers/wait-until.js';

const name = 'a database that is restarted again and again';
const found = findDatabasePrograms();
const { isLong } = suiteOptions();
const jobCount = isLong ? 36 : 8;
/** The time between two restarts. In the short form, the next one follows the end of a job. */
const restartPauseMs = 10_000;

if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  test.after(killDaemons);

  test('every job of two daemons is encoded once, finishes and is delivered', async () => {
    const beganAt = performance.now();
    const daemons = await startDatabaseDaemons(bin);
    const both = [await daemons.start('one', 1), await daemons.start('two', 1)] as const;
    const logged = () => both.map((daemon) => daemon.logged()).join('\n');
    const ids: number[] = [];
    for (let number = 0; number < jobCount; number += 1) {
      const input = daemons.source.url(number % 3 === 0 ? 'long' : 'clip');
      const output = {
        width: 64,
        ...(number % 2 === 0 ? {} : { url: deliveryUrl(daemons, `film-${number}`) }),
      };
      ids.push(await createAt(both[number % 2 === 0 ? 0 : 1], { input, output }));
    }
    const stateOf = async (id: number) => (await jobAt(both[0], id).catch(() => null))?.state ?? 'unknown';
    const endedCount = async () => (await Promise.all(ids.map(stateOf))).filter(isFinal).length;
    let restarts = 0;
    for (let ended = 0; ended < jobCount; ended = await endedCount()) {
      if (isLong) await pause(restartPauseMs);
      else if (restarts === 0) await waitUntil('a job has started', () => /Job \d+ started/.test(logged()));
      await daemons.server.kill();
      await daemons.server.restart();
      restarts += 1;
      if (isLong) continue;
      const next = restarts > 2 ? jobCount : ended + 1;
      await waitUntil('more jobs have ended', async () => (await endedCount()) >= next);
    }
    for (const [number, id] of ids.entries()) {
      const { state, input_media_file: source, output_media_files: outputs } = await jobAt(both[0], id);
      assert.is(state, 'finished', source.error_message ?? outputs[0]?.error_message ?? '');
      assert.is(logged().split(`Job ${id} started`).length - 1, 1, `job ${id} is encoded once`);
      if (number % 2 === 1) assert.ok(isDelivered(daemons, `film-${number}`));
    }
    printClosingLine('database/restarts', [`jobs ${jobCount}`, `restarts ${restarts}`], beganAt);
    for (const daemon of both) await daemon.end('SIGTERM');
    await daemons.close();
  });

  test.run();
}
