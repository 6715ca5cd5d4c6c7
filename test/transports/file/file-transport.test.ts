import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Transfer } from '../../../daemon/transfer/transfer.js';
import { createFileTransport } from '../../../daemon/transports/file/file-transport.js';
import { isOpenedBelow, stablePath } from '../../../daemon/transports/file/file-url.js';
import { contentsOf, scratchFolder, transferOf } from '../../contracts/transport/evidence.js';

const download = (roots: readonly string[] | 'anywhere', path: string, toPath: string) =>
  createFileTransport(roots).download?.(pathToFileURL(path).href, toPath, transferOf());
const upload = (root: string, fromPath: string, path: string, transfer: Transfer = transferOf()) =>
  createFileTransport([root]).upload?.(fromPath, pathToFileURL(path).href, transfer);

function fileWith(text: string, folder = scratchFolder()): string {
  const path = join(folder, 'film.mp4');
  writeFileSync(path, text);
  return path;
}

test('an input below a root is a copy: later changes of the source do not affect it', async () => {
  const root = scratchFolder();
  const path = fileWith('film', root);
  const toPath = join(scratchFolder(), 'in');
  await download([root], path, toPath);
  writeFileSync(path, 'other');
  assert.is(readFileSync(toPath, 'utf8'), 'film');
  assert.ok(lstatSync(toPath).isFile());
});

test("an input of the program's own user is not copied, and links are resolved to the file itself", async () => {
  const path = fileWith('film');
  const link = join(scratchFolder(), 'link.mp4');
  symlinkSync(path, link);
  const toPath = join(scratchFolder(), 'in');
  await download('anywhere', link, toPath);
  assert.is(readlinkSync(toPath), path);
});

test('without MD5, files that are not copied are not read, unless a download needs it', async () => {
  const transport = createFileTransport('anywhere', { hasMd5: false });
  const path = fileWith('film');
  const url = pathToFileURL(path).href;
  const received = await transport.download?.(url, join(scratchFolder(), 'in'), transferOf());
  assert.equal(received, { sizeBytes: 4 });
  const needed = transferOf({ needsMd5: true });
  const measured = await transport.download?.(url, join(scratchFolder(), 'in'), needed);
  assert.is(measured?.md5, 'bdbd6db1d8cc09a957e86180fda9442a');
  const to = pathToFileURL(join(scratchFolder(), 'out.mp4')).href;
  const delivering = createFileTransport('anywhere', { hasMd5: 'outputs' });
  const read = await delivering.download?.(url, join(scratchFolder(), 'in'), transferOf());
  assert.equal(read, { sizeBytes: 4 });
  assert.equal(await transport.upload?.(path, to, transferOf()), { sizeBytes: 4 });
  const delivered = await delivering.upload?.(fileWith('film'), to, transferOf());
  assert.is(delivered?.md5, 'bdbd6db1d8cc09a957e86180fda9442a');
});

test('a root may be reached by a link, and links within it may be used', async () => {
  const real = scratchFolder();
  const root = join(scratchFolder(), 'root');
  symlinkSync(real, root);
  fileWith('film', real);
  symlinkSync('film.mp4', join(real, 'other.mp4'));
  const toPath = join(scratchFolder(), 'in');
  await download([root], join(root, 'other.mp4'), toPath);
  assert.is(readFileSync(toPath, 'utf8'), 'film');
});

test('a product is moved if possible, and a link at its destination is replaced, not followed', async () => {
  const root = scratchFolder();
  const victim = fileWith('precious');
  symlinkSync(victim, join(root, 'out.mp4'));
  const from = fileWith('new');
  const { ino } = statSync(from);
  await upload(root, from, join(root, 'out.mp4'));
  assert.is(lstatSync(join(root, 'out.mp4')).ino, ino);
  assert.is(readFileSync(victim, 'utf8'), 'precious');
});

test('a folder that is replaced by a link during a delivery does not redirect the file', async () => {
  const root = scratchFolder();
  const elsewhere = scratchFolder();
  mkdirSync(join(root, 'to'));
  const onProgress = () => {
    renameSync(join(root, 'to'), join(root, 'moved'));
    symlinkSync(elsewhere, join(root, 'to'));
  };
  await upload(
    root,
    fileWith('film'),
    join(root, 'to', 'out.mp4'),
    transferOf({ onProgress: once(onProgress) }),
  );
  assert.equal(contentsOf(elsewhere), []);
  assert.equal(contentsOf(join(root, 'moved')), ['out.mp4']);
});

test('an opened file is checked by its real location, not by the name it was opened under', async () => {
  const root = scratchFolder();
  const path = fileWith('secret');
  const handle = await open(path);
  assert.not(await isOpenedBelow([root], handle, join(root, 'film.mp4')));
  assert.ok(await isOpenedBelow([join(path, '..')], handle, path));
  assert.ok(await isOpenedBelow('anywhere', handle, path));
  await handle.close();
});

test('an open folder has a path that stays valid after a rename, or keeps its name', async () => {
  const folder = scratchFolder();
  const handle = await open(folder);
  assert.ok([`/proc/self/fd/${handle.fd}`, folder].includes(await stablePath(handle, folder)));
  await handle.close();
});

test('two deliveries into one new folder, one of which fails, do not affect each other', async () => {
  const root = scratchFolder();
  const controller = new AbortController();
  const stopped = transferOf({ signal: controller.signal, onProgress: () => controller.abort('cancelled') });
  const results = await Promise.allSettled([
    upload(root, fileWith('one'), join(root, 'a/b/stopped.mp4'), stopped),
    upload(root, fileWith('two'), join(root, 'a/b/fine.mp4')),
  ]);
  assert.equal(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.equal([...contentsOf(root)].sort(), ['a', 'a/b', 'a/b/fine.mp4']);
});

test('an unreadable file is reported as permission denied', async () => {
  if (process.getuid?.() === 0) return; // root may read every file.
  const root = scratchFolder();
  const path = fileWith('film', root);
  chmodSync(path, 0);
  const error = await download([root], path, join(scratchFolder(), 'in'))?.catch((thrown) => thrown);
  assert.is(error.errorClass, 'DownloadAccessDeniedError');
});

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

test.run();
