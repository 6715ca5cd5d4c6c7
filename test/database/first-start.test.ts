import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startQueueEngine } from '../../daemon/queue/postgres/engine.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { findDatabasePrograms, requestTo } from '../helpers/database-daemons.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';

const name = 'daemons that are started at once on an empty database';
const found = findPostgres();
if ('missing' in found) skipSuite(name, found);
else await describe(found.bin);

async function describe(bin: string): Promise<void> {
  const test = suite(name);
  const server = await startPostgres(bin);
  const log = () => undefined;
  test.after.each(killDaemons);
  test.after(() => server.end());

  test('each engine that creates the tables can create queues, over each of its connections', async () => {
    const dsn = server.dsn(await server.createDatabase());
    const databases = await Promise.all(Array.from({ length: 4 }, () => openPostgresDatabase(dsn, { log })));
    const engines = await Promise.all(databases.map((one) => startQueueEngine(one, log)));
    for (const engine of engines)
      await Promise.all(Array.from({ length: 6 }, (_, index) => engine.createQueue(`queue-${index}`)));
    for (const engine of engines) await engine.close();
    for (const database of databases) await database.close();
  });

  // Without a version of Node.js in which a daemon can use a database, the engine alone is tested.
  if ('bin' in findDatabasePrograms())
    test('each daemon accepts jobs', async () => {
      const dsn = server.dsn(await server.createDatabase());
      const env = { VENC_DATABASE: dsn, VENC_DATABASE_KEY: Buffer.alloc(32, 7).toString('base64') };
      const start = () => startDaemonProcess(tempFolder(), ['--jobs', '0', '--min-free', '0'], env);
      const daemons: readonly DaemonProcess[] = await Promise.all([start(), start()]);
      for (const daemon of daemons) {
        const label = `label-${daemons.indexOf(daemon)}`;
        const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4', outputs: [{ requires: [label] }] });
        for (let count = 0; count < 4; count += 1) {
          const created = await requestTo(daemon, '/v2/jobs', { method: 'POST', body, key: processKey });
          assert.is(created.status, 201);
        }
        assert.is((await requestTo(daemon, '/health')).status, 200);
      }
    });

  test.run();
}
