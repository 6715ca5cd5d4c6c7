import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { type DocBlock, docBlocks } from '../helpers/doc-blocks.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/**
 * The blocks that do not run here, by a part of their text. docs.test.ts checks that the venc commands in them are known and have known
 * flags. A reason that no block needs fails the test.
 */
const notRun: readonly (readonly [part: string, reason: string])[] = [
  ['npm ', 'installs, builds or tests this checkout, which runs this test'],
  ['systemctl', 'needs systemd'],
  ['docker', 'needs Docker'],
  ['createdb', 'needs PostgreSQL; test/database migrates'],
  ['VENC_DATABASE', 'needs PostgreSQL; test/database starts such daemons'],
  ['database-key', 'needs PostgreSQL; test/database uses the key'],
  ['venc accounts create studio', 'needs PostgreSQL; test/database creates accounts'],
  ['venc worker --join', 'needs another machine; test/workers starts workers'],
  ['venc workers drain', 'needs a worker on another machine; test/workers drains'],
  ['venc daemon', 'runs until it is stopped; whole/daemon-command.test.ts starts daemons'],
  ['venc logs --follow', 'follows until it is stopped; cli/logs.test.ts follows'],
  ['$WORKER_KEY', 'needs a worker; test/workers uses such keys'],
  ['venc keys revoke', 'needs the id that an earlier line prints; cli/accounts.test.ts revokes'],
  ['/srv/inbox', 'needs folders in /srv; the next test runs it in others'],
  ['sudo venc backup', 'needs root and folders of systemd; whole/backup.test.ts makes backups'],
];

let folder = '';
let daemon: DaemonProcess;
let web: Server;
let films = '';

test.before(async () => {
  folder = tempFolder();
  const source = join(folder, 'film.mov');
  await makeMedia(source, film('64x48', 0.4));
  web = createServer((_, response) => response.end(readFileSync(source)));
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  // A server that listens on a port has an address of this form.
  films = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  daemon = await startDaemonProcess(join(folder, 'data'), ['--files-root', folder]);
  mkdirSync(join(folder, 'bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/venc.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin', 'venc'), program, { mode: 0o755 });
  const home = join(folder, '.local/share/venc');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'owner-key'), processKey);
  const { code, text } = await sh(
    '.',
    `id=$(venc submit film.mov --filename first.mp4 --wait --progress none)`,
  );
  assert.is(code, 0, text);
});
test.after(() => {
  web.closeAllConnections();
  web.close();
  killDaemons();
});

/** The folder of a page, with the films that its commands name. */
function folderOf(page: string): string {
  const own = join(folder, page.replaceAll('/', '-'));
  if (existsSync(own)) return own;
  for (const name of ['film.mov', 'holiday.mov', 'in.mov', 'trailer.mov', 'films/a.mov']) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    copyFileSync(join(folder, 'film.mov'), join(own, name));
  }
  writeFileSync(join(own, 'key.txt'), processKey);
  return own;
}

/** Runs commands in a folder. `$id` and `$KEY`, which a page has set before, are set. */
function sh(cwd: string, text: string): Promise<{ readonly code: number; readonly text: string }> {
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    XDG_DATA_HOME: join(folder, '.local/share'),
    XDG_CONFIG_HOME: join(folder, '.config'),
    VENC_URL: daemon.url,
    VENC_API_KEY: processKey,
    KEY: processKey,
    id: '1',
  };
  return new Promise((done) => {
    execFile(
      'bash',
      ['-e', '-c', text],
      { cwd: resolve(folder, cwd), env, timeout: 90_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        done({ code, text: `${stdout}\n${stderr}` });
      },
    );
  });
}

/** The block with the addresses and ids of this test. */
function here(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:8686|https:\/\/encoding\.example\.com/g, daemon.url)
    .replaceAll(/https:\/\/example\.com\/(?=\w+\.mov)/g, `${films}/`)
    .replaceAll(/(?<=venc (?:show|logs) )123\b/g, '1')
    .replaceAll('/srv/', `${folder}/`);
}

const reasonOf = ({ text }: DocBlock) => notRun.find(([part]) => text.includes(part));

for (const block of docBlocks().filter((one) => reasonOf(one) === undefined)) {
  test(`the commands of ${block.page} run: ${block.text.split('\n')[0]}`, async () => {
    const isScript = block.text.startsWith('#!');
    const own = folderOf(block.page);
    if (isScript) writeFileSync(join(own, 'encode-folder.sh'), block.text);
    const { code, text } = await sh(own, isScript ? 'sh encode-folder.sh films results' : here(block.text));
    assert.is(code, 0, `${block.text}\n${text}`);
  });
}

test('the script of the cron recipe delivers the films of the inbox', async () => {
  const block = docBlocks().find(({ text }) => text.includes('/srv/inbox'));
  assert.ok(block);
  mkdirSync(join(folder, 'inbox'));
  copyFileSync(join(folder, 'film.mov'), join(folder, 'inbox/b.mov'));
  const { code, text } = await sh(
    '.',
    `${here(block.text)}\ncd .. && test -s done/b.mp4 && test -s archive/b.mov`,
  );
  assert.is(code, 0, text);
});

test('every reason not to run a block is needed', () => {
  for (const [part] of notRun)
    assert.ok(
      docBlocks().some(({ text }) => text.includes(part)),
      part,
    );
});

test.run();
