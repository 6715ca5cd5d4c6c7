import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { commandOf, docBlocks } from '../helpers/doc-blocks.js';
import { createDocShell } from '../helpers/doc-shell.js';
import { filesIn } from '../helpers/migration-harness.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';

const found = findPostgres();
const name = 'the command blocks about databases';

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  test.after(async () => {
    killDaemons();
    await server.end();
  });

  /** The last block with a command. */
  const blockWith = (command: string) => {
    const block = docBlocks().findLast(({ text }) => text.split('\n').map(commandOf).includes(command));
    if (block === undefined) throw new Error(`no block has ${command}`);
    return block.text;
  };
  const folder = tempFolder();
  const data = join(folder, 'lib/venc');
  const here = (text: string) =>
    text
      .replaceAll('postgres://venc:PASSWORD@db.example.com/venc', server.dsn('venc'))
      .replaceAll('/var/lib', join(folder, 'lib'))
      .replaceAll('cat database-key', `cat '${data}/database-key'`);

  test('a data folder moves to a database and back, and accounts and keys are made there', async () => {
    const daemon = await startDaemonProcess(data, ['--jobs', '1']);
    const { hostname: PGHOST, port: PGPORT, username: PGUSER, password } = new URL(server.dsn('postgres'));
    const account = { PGHOST, PGPORT, PGUSER, PGPASSWORD: decodeURIComponent(password) };
    const shell = createDocShell(folder, account, {
      createdb: `exec '${found.bin}/createdb' "$@"`,
      systemctl: `test "$*" = 'stop venc' && kill ${daemon.pid} && while kill -0 ${daemon.pid} 2> /dev/null; do sleep 0.1; done`,
    });
    const job = { input: 'http://127.0.0.1:1/film.mov' };
    const headers = { 'Service-Api-Key': processKey };
    const created = await fetch(`${daemon.url}/v2/jobs`, {
      method: 'POST',
      headers,
      body: JSON.stringify(job),
    });
    assert.is(created.status, 201);
    const { id } = (await created.json()) as { id: string };

    const moved = await shell.run('.', here(blockWith('createdb venc')));
    assert.is(moved.code, 0, moved.text);
    const copied = moved.text.match(/^jobs +1 +1 .*$/gm);
    assert.is(copied?.length, 2, moved.text);
    const jobFiles = async (path: string) =>
      Object.keys(await filesIn(path)).filter((file) => file.endsWith(`${id}.json`));
    assert.equal(await jobFiles(`${data}-copy`), await jobFiles(data));
    assert.ok(existsSync(join(data, 'database-key')));

    const key = here(blockWith('export VENC_DATABASE_KEY="$(cat /var/lib/venc/database-key)"'));
    const VENC_DATABASE = server.dsn('venc');
    const made = await shell.run('.', `${key}\n${blockWith('venc accounts create studio')}`, {
      VENC_DATABASE,
    });
    assert.is(made.code, 0, made.text);

    // The variables of each daemon.
    const [first, second] = blockWith('export VENC_DATABASE_KEY="$(cat database-key)"').split('\n');
    const listed = await shell.run('.', `${here(`${first}\n${second}`)}\nvenc accounts list`);
    assert.is(listed.code, 0, listed.text);
    assert.match(listed.text, /studio/);
  });

  test.run();
}
