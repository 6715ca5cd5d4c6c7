import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EncodeProgress, Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { openFfmpeg } from '../../daemon/ffmpeg/index.js';
import { processFingerprint } from '../../daemon/ffmpeg/orphan-processes.js';
import { isVencError } from '../../src/shared/errors.js';
import { badMedia, media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const endless = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x48', '-f', 'null', '-'] as const;

interface RunOptions {
  readonly scratch?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EncodeProgress) => void;
  readonly ffmpeg?: Ffmpeg;
}

async function run(args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { run } = options.ffmpeg ?? (await testFfmpeg());
  await run(args, {
    scratch: options.scratch ?? tempFolder(),
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => {}),
  });
}

async function failure(args: readonly string[], options: RunOptions = {}) {
  const error: unknown = await run(args, options).catch((error: unknown) => error);
  assert.ok(isVencError(error), String(error));
  return error;
}

/** Opens an ffmpeg that is a shell script: it answers version queries and otherwise runs the given commands. */
async function scripted(body: string, stallSeconds: number): Promise<Ffmpeg> {
  const folder = tempFolder();
  const path = join(folder, 'ffmpeg');
  const text = `#!/bin/sh\ncase "$*" in *-progress*) ;; *) echo 'ffmpeg version 6.0'; exit;; esac\n${body}\n`;
  await writeFile(path, text, { mode: 0o755 });
  const { ffprobe } = await testFfmpeg();
  const { ffmpeg } = await openFfmpeg({
    ffmpeg: path,
    ffprobe: ffprobe.path,
    cacheFolder: join(folder, 'cache'),
    limits: { stallSeconds },
  });
  assert.ok(ffmpeg);
  return ffmpeg;
}

test('an encode reports its progress up to the end, writes its output and deletes its process record', async () => {
  const scratch = tempFolder();
  const seen: EncodeProgress[] = [];
  const input = await media('clip.mp4');
  await run(['-i', input, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-y', 'out.mp4'], {
    scratch,
    onProgress: (progress) => seen.push(progress),
  });
  assert.equal(await readdir(scratch), ['out.mp4']);
  const last = seen.at(-1);
  assert.ok(last && last.seconds > 1.5 && last.seconds < 2.5);
  assert.is(last.frame, 50);
});

test('an aborted run ends at once and leaves no process', async () => {
  const scratch = tempFolder();
  const stop = new AbortController();
  let pid = 0;
  const error = await failure(endless, {
    scratch,
    signal: stop.signal,
    onProgress: () => {
      if (pid !== 0) return;
      pid = -1;
      void readdir(scratch).then(([note = '']) => {
        pid = Number(note.replace('.ffmpeg-', ''));
        stop.abort();
      });
    },
  });
  assert.is(error.errorClass, 'InterruptedError');
  assert.ok(pid > 1);
  assert.is(processFingerprint(pid), null);
  assert.equal(await readdir(scratch), []);
});

test('an ffmpeg that ignores SIGTERM is killed', async () => {
  const ffmpeg = await scripted(
    "trap '' TERM\necho frame=1\necho progress=continue\nwhile :; do sleep 0.1; done",
    60,
  );
  const stop = new AbortController();
  const error = await failure([], { ffmpeg, signal: stop.signal, onProgress: () => stop.abort() });
  assert.is(error.errorClass, 'InterruptedError');
});

test('a run that is aborted before it begins starts nothing', async () => {
  const scratch = tempFolder();
  const error = await failure(['-i', await media('clip.mp4'), 'out.mp4'], {
    scratch,
    signal: AbortSignal.abort(),
  });
  assert.is(error.errorClass, 'InterruptedError');
  assert.equal(await readdir(scratch), []);
});

test('an ffmpeg that repeats the same report is killed after a timeout', async () => {
  const ffmpeg = await scripted('while :; do echo frame=1; echo progress=continue; sleep 0.05; done', 0.3);
  const error = await failure([], { ffmpeg });
  assert.is(error.errorClass, 'TranscodingTimeoutError');
});

test('a full disk is reported as such', async () => {
  const input = await media('clip.mp4');
  const error = await failure(['-i', input, '-c', 'copy', '-f', 'mpegts', '-y', '/dev/full']);
  assert.is(error.errorClass, 'OutOfSpaceError');
});

test('a missing encoder is named', async () => {
  const error = await failure(['-i', await media('clip.mp4'), '-c:v', 'libnothing', '-y', 'out.mp4']);
  assert.is(error.errorClass, 'TranscodingError');
  assert.match(error.message, 'libnothing');
});

test('an error message names no path of this machine', async () => {
  const scratch = tempFolder();
  for (const input of [join(scratch, 'missing in here.mp4'), await badMedia('zeros.mp4')]) {
    const error = await failure(['-i', input, '-y', join(scratch, 'out.mp4')], { scratch });
    assert.not.match(error.message, scratch);
    assert.not.match(error.message, 'venc-test');
  }
});

test('an input that is a playlist is not opened, even if the plan lacks its guards', async () => {
  const scratch = tempFolder();
  await writeFile(join(scratch, 'list.mp4'), `ffconcat version 1.0\nfile '${await media('clip.mp4')}'\n`);
  const error = await failure(['-i', 'list.mp4', '-c', 'copy', '-y', 'out.mp4'], { scratch });
  assert.is(error.errorClass, 'UnsupportedInputError');
});

test('a missing folder is an error and no crash', async () => {
  const error = await failure(endless, { scratch: join(tempFolder(), 'gone') });
  assert.is(error.errorClass, 'TranscodingError');
});

test.run();
