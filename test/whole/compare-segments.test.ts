import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { hashOf, toRgb } from '../helpers/frame-pixels.js';
import { film, makeMedia } from '../helpers/media.js';
import { ask, cookieOf } from '../helpers/page-client.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

interface Context {
  daemon: TestDaemon;
  cookie: string;
  jobId: number;
  /** The ids of the outputs, by label. */
  outputs: Readonly<Record<string, number>>;
}

const folder = tempFolder();
const source = join(folder, 'film.mp4');
const base = { type: 'segmented', segment_seconds: 2, speed: 5 } as const;
const kinds = {
  ts: {},
  ranges: { byte_range_segmenting: true },
  fragments: { format: 'm4f' },
  cmaf: { packaging: 'cmaf' },
  tracks: { packaging: 'cmaf', byte_range_segmenting: true },
  dash: { streaming_delivery_format: 'dash' },
} as const;
const extensionOf = (label: string) => (label === 'dash' ? 'mpd' : 'm3u8');

const test = daemonSuite<Context>(
  'frames of segments',
  async () => {
    await makeMedia(source, film('320x180', 7));
    return { filesRoots: [folder] };
  },
  async (context) => {
    const { daemon } = context;
    context.cookie = await cookieOf(daemon, daemon.key);
    context.jobId = await daemon.create({
      input: `file://${source}`,
      outputs: Object.entries(kinds).map(([label, settings]) => ({
        ...{ ...base, ...settings, label },
        url: `file://${folder}/${label}/${label}.${extensionOf(label)}`,
      })),
    });
    const job = await daemon.waitForJob(context.jobId);
    assert.is(job.state, 'finished', JSON.stringify(job));
    context.outputs = Object.fromEntries(job.output_media_files.map(({ label, id }) => [label, id]));
  },
);

function frame({ daemon, cookie, jobId }: Context, output: number, time: number, side = 'output') {
  const query = `side=${side}&output=${output}&time=${time}`;
  return ask(daemon, `/ui/api/jobs/${jobId}/frame?${query}`, { cookie });
}

for (const label of Object.keys(kinds))
  test(`${label}: the frame of each time, also at the borders of segments`, async (context) => {
    const output = context.outputs[label] ?? 0;
    for (const [time, index] of [
      [0, 0],
      [1.99, 49],
      [2, 50],
      [3.5, 87],
      [6.02, 150],
      [9999, 174],
    ] as const) {
      const { status, bytes, text } = await frame(context, output, time);
      assert.is(status, 200, `${time}: ${text}`);
      const path = join(folder, label, `${label}.${extensionOf(label)}`);
      assert.is(await hashOf(bytes), await hashOf(path, `select=eq(n\\,${index}),${toRgb}`), `at ${time}`);
    }
    assert.is((await frame(context, output, 3.5, 'source')).status, 200);
    await waitUntilScratchIsEmpty(context.daemon.dataFolder);
  });

test('the page compares them, and a playlist that was changed leads to no other file', async (context) => {
  const { daemon, cookie, jobId, outputs } = context;
  const document = await ask(daemon, `/ui/jobs/${jobId}/compare?output=${outputs.ts}`, { cookie });
  assert.match(document.text, 'id="border"');
  const playlist = join(folder, 'ts', 'ts.m3u8');
  const text = await readFile(playlist, 'utf8');
  for (const address of [
    '../ranges/ranges.ts',
    '%2e%2e/film.mp4',
    '/etc/passwd',
    'http://127.0.0.1:9/a',
    '..',
  ]) {
    await writeFile(playlist, text.replaceAll(/^[^#\n].*$/gm, address));
    const { status, text: answer } = await frame(context, outputs.ts ?? 0, 1);
    assert.is(status, 409, address);
    assert.match(answer, 'The playlist of the output has changed');
  }
  await writeFile(playlist, text);
  await rm(join(folder, 'ts', 'ts-00002.ts'));
  assert.is((await frame(context, outputs.ts ?? 0, 1)).status, 200);
  const missing = await frame(context, outputs.ts ?? 0, 3);
  assert.is(missing.status, 404);
});

test.run();
