import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import {
  createAt,
  finalJob,
  findDatabasePrograms,
  jobAt,
  startDatabaseDaemons,
} from '../helpers/database-daemons.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { runVenc } from '../helpers/worker-process.js';

const name = 'a backup of a daemon on a database';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite(name);
  test.after(killDaemons);

  test('is the folder and the dump that it says to make: both restored have the jobs and the hosted files', async () => {
    const daemons = await startDatabaseDaemons(bin);
    const { dsn, server } = daemons;
    const daemon = await daemons.start('one', 1);
    const ids = [0, 1].map(() => createAt(daemon, { input: daemons.source.url('clip') }));
    const [id = 0, other = 0] = await Promise.all(ids);
    for (const one of [id, other]) assert.is((await finalJob(daemon, one)).state, 'finished');
    const backups = join(tempFolder(), 'backups');
    const args = ['backup', backups, '--data', daemons.dataFolder('one'), '--database', dsn];
    const { code, stdout, stderr } = await runVenc(args);
    assert.is(code, 0, stderr);
    const folder = join(stdout.trim(), 'data');
    assert.is(readdirSync(join(folder, 'hosted')).filter((token) => !token.startsWith('.')).length, 2);
    assert.ok(existsSync(join(folder, 'database-key')));
    assert.not.match(stderr, /keep VENC_DATABASE_KEY/);
    assert.match(stderr, /jobs, accounts and credentials are in the database, not in this backup/);
    const password = decodeURIComponent(new URL(dsn).password);
    assert.not.ok(stderr.includes(password) || stderr.includes(new URL(dsn).password), 'it has no password');

    const [, words = ''] = /: (pg_dump .*)$/m.exec(stderr) ?? [];
    const run = (program: string, given: readonly string[]) =>
      execFileSync(join(bin, program), given, { cwd: backups, env: { PGPASSWORD: password } });
    run('pg_dump', words.split(' ').slice(1));
    await daemon.end('SIGKILL');
    const copy = server.dsn(await server.createDatabase());
    run('pg_restore', ['--dbname', copy.replace(/:[^:@]*@/, '@'), 'venc.dump']);
    const data = join(tempFolder(), 'data');
    const restored = await runVenc(['restore', backups, '--data', data]);
    assert.is(restored.code, 0, restored.stderr);
    assert.match(restored.stderr, /restore its dump as well/);

    const later = await startDaemonProcess(data, ['--jobs', '1', '--min-free', '0'], { VENC_DATABASE: copy });
    for (const one of [id, other]) {
      const job = await jobAt(later, one);
      const { pathname } = new URL(job.output_media_files[0]?.url ?? '');
      assert.equal([job.state, (await fetch(`${later.url}${pathname}`)).status], ['finished', 200]);
    }
    const next = await createAt(later, { input: daemons.source.url('clip') });
    assert.ok(next > Math.max(id, other));
    assert.is((await finalJob(later, next)).state, 'finished');
    await later.end('SIGTERM');
    await daemons.close();
  });

  test.run();
}
