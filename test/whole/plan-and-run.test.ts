import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../cli/run-here.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** An ffmpeg that records its arguments: each argument ends with NUL, each call with a line break. */
async function notingFfmpeg(folder: string): Promise<{ readonly path: string; readonly notes: string }> {
  const { ffmpeg } = await testFfmpeg();
  const [path, notes] = [join(folder, 'ffmpeg'), join(folder, 'notes')];
  const record = `{ printf '%s\\000' "$@"; printf '\\n'; } >> '${notes}'`;
  await writeFile(path, `#!/bin/sh\n${record}\nexec '${ffmpeg.path}' "$@"\n`);
  await chmod(path, 0o755);
  // In a sandbox, it could not write the notes.
  const noSandbox = join(folder, 'no-sandbox');
  await mkdir(noSandbox);
  await writeFile(join(noSandbox, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  process.env.PATH = [noSandbox, process.env.PATH].join(delimiter);
  return { path, notes };
}

/** The calls that encoded, without the arguments that report progress. */
function encodingCalls(notes: string): readonly (readonly string[])[] {
  return notes
    .split('\n')
    .map((line) => line.split('\0').slice(0, -1))
    .filter((words) => words.includes('-progress'))
    .map((words) => words.slice(words.indexOf('-progress') + 2));
}

test('plan prints the commands that run executes, except for the folder and the output numbers', async () => {
  const folder = tempFolder();
  const { path: ffmpeg, notes } = await notingFfmpeg(folder);
  const { ffprobe } = await testFfmpeg();
  const [film, logo] = [await media('clip.mp4'), await media('image.png')];
  const outputs = [
    {
      url: join(folder, 'a.mp4'),
      video_bitrate: 150,
      width: 96,
      watermark: { url: pathToFileURL(logo).href },
    },
    { url: join(folder, 'b.mp4'), width: 64 },
    { url: join(folder, 'c.mp3') },
  ].map((settings) => ({ ...settings, url: pathToFileURL(settings.url).href }));
  const request = join(folder, 'request.json');
  await writeFile(request, JSON.stringify({ input: pathToFileURL(film).href, outputs }));
  const programs = ['--ffmpeg', ffmpeg, '--ffprobe', ffprobe.path];
  const plan = await runInProcess(['plan', request, '--json', ...programs]);
  assert.equal([plan.code, plan.stderr], [0, '']);
  const steps: readonly { readonly args: readonly string[] }[] = JSON.parse(plan.stdout);
  assert.equal(encodingCalls(await readFile(notes, 'utf8')), []);

  const ran = await runInProcess(['run', request, '--progress', 'none', ...programs]);
  assert.is(ran.code, 0, ran.stderr);
  const calls = encodingCalls(await readFile(notes, 'utf8'));
  const scratch = /file:(.+)\/input$/.exec(calls.flat().find((word) => word.endsWith('/input')) ?? '')?.[1];
  const shown = (word: string) =>
    word
      .replaceAll(`${scratch}/input`, film)
      .replaceAll(`${scratch}/watermark-0`, logo)
      .replaceAll(`${scratch}/`, './')
      // A job and its input use the first two ids.
      .replace(/\b(output|passes)-(\d+)/g, (_, what: string, id: string) => `${what}-${Number(id) - 2}`);
  const named = ['a.mp4', 'b.mp4', 'c.mp3'].map((name) => join(folder, name));
  const planned = (word: string) =>
    named
      .reduce((text, path, index) => text.replace(path, `./output-${index + 1}${extname(path)}`), word)
      .replace(/^-n$/, '-y');
  assert.equal(
    calls.map((words) => words.map(shown)),
    steps.map(({ args }) => args.slice(args.indexOf('-nostdin') + 1).map(planned)),
  );
});

test.run();
