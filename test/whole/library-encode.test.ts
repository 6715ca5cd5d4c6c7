import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  encode,
  InputError,
  OutputError,
  plan,
  probe,
  thumbnails,
  UnavailableError,
  type VencError,
} from '../../src/library/index.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('a job is awaited for its files and iterated for its progress, which never decreases', async () => {
  const folder = tempFolder();
  const job = encode(await media('clip.mp4'), { output: join(folder, 'out.mp4'), width: 64, label: 'small' });
  const percents: number[] = [];
  for await (const { progress, state, outputs } of job) {
    percents.push(progress);
    assert.type(state, 'string');
    assert.is(outputs.length, 1);
  }
  assert.ok(percents.length > 1);
  assert.equal(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  assert.is(percents.at(-1), 100);
  const { files, warnings, quality } = await job;
  const { length } = await readFile(join(folder, 'out.mp4'));
  assert.equal(files, [{ path: join(folder, 'out.mp4'), label: 'small', bytes: length }]);
  assert.equal([warnings, quality], [[], null]);
  const info = await probe(files[0]?.path ?? '');
  assert.equal([info.width, info.video_codec, info.file_size_in_bytes], [64, 'h264', length]);
});

test('leaving the loop does not cancel the job', async () => {
  const output = join(tempFolder(), 'out.mp4');
  const job = encode(pathToFileURL(await media('clip.mp4')), { output: pathToFileURL(output), width: 64 });
  for await (const _ of job) break;
  assert.is((await job).files[0]?.path, output);
});

test('a failure reaches the loop or the promise, and is never an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  try {
    const folder = tempFolder();
    const text = join(folder, 'in.mp4');
    await writeFile(text, 'not a film');
    const output = join(folder, 'out.mp4');
    let looped: unknown;
    try {
      for await (const _ of encode(text, { output }));
    } catch (error) {
      looped = error;
    }
    assert.instance(looped, InputError);
    assert.is((looped as InputError).code, 'NoMediaError');
    const awaited = await encode(text, { output }).catch((error: unknown) => error);
    assert.is((awaited as InputError).code, 'NoMediaError');
    const ignored = encode(text, { output });
    await ignored.catch(() => undefined);
    encode(join(folder, 'missing.mp4'), {} as { output: string });
    await pause(50);
    assert.equal(unhandled, []);
    assert.equal(await readdir(folder), ['in.mp4']);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

test('several outputs, of which each has its own settings', async () => {
  const folder = tempFolder();
  const { files } = await encode(await media('clip.mp4'), {
    outputs: [
      { output: join(folder, 'a.mp4'), width: 64 },
      { output: join(folder, 'deep/b.mp3'), label: 'audio', skipVideo: true },
    ],
  });
  assert.equal(
    files.map(({ path, label }) => [path, label]),
    [
      [join(folder, 'a.mp4'), null],
      [join(folder, 'deep/b.mp3'), 'audio'],
    ],
  );
});

test('streams are read and written, and have the bytes of the files', async () => {
  const folder = tempFolder();
  const input = await media('clip.mp4');
  const settings = { format: 'ts', width: 64, metadata: 'drop' } as const;
  await encode(input, { ...settings, output: join(folder, 'file.ts') });
  const toNode = createWriteStream(join(folder, 'node.ts'));
  await encode(createReadStream(input), { ...settings, output: toNode });
  assert.ok(toNode.writableFinished);
  const chunks: Uint8Array[] = [];
  const toWeb = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  const fromWeb = new Blob([await readFile(input)]).stream();
  const { files } = await encode(fromWeb, { ...settings, output: toWeb });
  const [bytes, node] = [await readFile(join(folder, 'file.ts')), await readFile(join(folder, 'node.ts'))];
  const md5 = (data: Uint8Array) => createHash('md5').update(data).digest('hex');
  assert.is(md5(node), md5(bytes));
  assert.is(md5(Buffer.concat(chunks)), md5(bytes));
  assert.equal(files, [{ label: null, bytes: bytes.length }]);
});

test('plan names what ffmpeg would do, and writes nothing', async () => {
  const folder = tempFolder();
  const output = join(folder, 'out.mp4');
  const found = await plan(await media('clip.mp4'), {
    ...{ output, width: 64 },
    ...{ unknownName: 1 },
  });
  assert.is(found.steps[0]?.does, 'encode');
  assert.ok(found.steps[0]?.args.includes(`file:${output}`), found.steps[0]?.args.join(' '));
  assert.is(found.outputs[0]?.size?.width, 64);
  assert.is(found.warnings[0]?.field, 'unknownName');
  assert.equal(await readdir(folder), []);
});

test('plan needs no destination, and takes a stream', async () => {
  const input = await media('clip.mp4');
  for (const [options, extension] of [
    [{ width: 64 }, 'mp4'],
    [{ format: 'webm' }, 'webm'],
    [{ output: new PassThrough(), format: 'ts' }, 'ts'],
  ] as const) {
    const { steps, outputs, warnings } = await plan(input, options);
    assert.match(steps[0]?.args.at(-1) ?? '', new RegExp(`\\.${extension}$`));
    assert.equal([outputs[0]?.failure, warnings], [null, []]);
  }
});

test('thumbnails are written into a folder, by number and with the names of the contract', async () => {
  const folder = join(tempFolder(), 'images');
  const input = await media('clip.mp4');
  const { files } = await thumbnails(input, { number: 2, width: 32, format: 'jpg', output: folder });
  assert.equal(
    files.map(({ path }) => path),
    ['frame_0000.jpg', 'frame_0001.jpg'].map((name) => join(folder, name)),
  );
  assert.ok(files.every(({ bytes }) => bytes > 0));
  const again = await thumbnails(input, { number: 2, format: 'jpg', output: folder }).catch(
    (error: unknown) => error as InputError,
  );
  assert.equal([(again as InputError).code, (again as InputError).field], ['conflict', 'output']);
  const wrong = await thumbnails(input, { number: 0, output: folder }).catch(
    (error: unknown) => error as InputError,
  );
  assert.equal([(wrong as InputError).code, (wrong as InputError).field], ['invalid_request', 'number']);
});

test('relative paths begin at the folder that was current at the call', async () => {
  const folder = await realpath(tempFolder());
  await copyFile(await media('clip.mp4'), join(folder, 'in.mp4'));
  const before = process.cwd();
  process.chdir(folder);
  const calls = Promise.all([
    encode('in.mp4', { output: 'out.mp4', width: 64 }),
    thumbnails('in.mp4', { number: 1, width: 32, output: 'images' }),
    plan('in.mp4', { output: 'plan.mp4' }),
    probe('in.mp4'),
  ]);
  process.chdir(before);
  const [{ files }, images] = await calls;
  assert.is(files[0]?.path, join(folder, 'out.mp4'));
  assert.is(images.files[0]?.path, join(folder, 'images/frame_0000.png'));
});

test('a temporary folder that is missing is an error that names TMPDIR', async () => {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = '/nowhere/temporary';
  try {
    const error = await probe(await media('clip.mp4')).catch((reason: unknown) => reason as VencError);
    assert.instance(error, UnavailableError);
    assert.match(
      (error as VencError).message,
      /created in \/nowhere\/temporary: nothing can be created there\./,
    );
    assert.match((error as VencError).hint ?? '', /TMPDIR/);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

test('images that cannot be written are an error of the output, and none is left', async () => {
  const folder = tempFolder();
  await symlink('/nowhere/image.png', join(folder, 'frame_0001.png'));
  const set = { number: 2, width: 32, output: folder, overwrite: true };
  const error = await thumbnails(await media('clip.mp4'), set).catch(
    (reason: unknown) => reason as VencError,
  );
  assert.instance(error, OutputError);
  assert.equal([(error as VencError).code, (error as VencError).field], ['UploadFailureError', 'output']);
  assert.equal(await readdir(folder), []);
});

test.run();
