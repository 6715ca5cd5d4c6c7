import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runOneShot } from '../../daemon/app/one-shot-run.js';
import { createClient } from '../../src/client/client.js';
import { follow } from '../../src/client/follow.js';
import { initialSseState, parseSse } from '../../src/shared/client/sse.js';
import type { JobProgressRecord } from '../../src/shared/records.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite<{ folder: string; request: { input: string; outputs: readonly object[] } }>(
  'events of a real job',
);

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x240', 4));
  const input = pathToFileURL(join(folder, 'in.mp4')).href;
  const out = (name: string) => ({ url: pathToFileURL(join(folder, name)).href, speed: 1 });
  Object.assign(context, { folder, request: { input, outputs: [out('a.mp4'), out('b.mp4')] } });
});

/** Checks what every sequence of progress records must satisfy. */
function checkOrder(records: readonly JobProgressRecord[]): void {
  const last = records.at(-1);
  assert.equal([last?.state, last?.progress], ['finished', 100]);
  assert.ok(records.length > 3, `only ${records.length} records`);
  const seen = new Set(records.map((record) => JSON.stringify(record)));
  assert.is(seen.size, records.length, 'a record was sent twice');
  for (const [index, { progress }] of records.entries()) {
    assert.ok(progress >= (records[index - 1]?.progress ?? 0), `progress fell to ${progress}`);
  }
  assert.ok(
    records.some(({ outputs }) => outputs.some(({ current_event: event }) => event === 'transcoding')),
  );
}

test('a stream reports a job from start to end, and the client needs no other request', async ({
  folder,
  request,
}) => {
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const id = await daemon.create(request);
  const raw = fetch(`${daemon.url}/v2/jobs/${id}/events?api_key=${daemon.key}`).then((response) =>
    response.text(),
  );
  const followed: JobProgressRecord[] = [];
  let end = '';
  for await (const event of follow(createClient({ url: daemon.url, apiKey: daemon.key }), [id])) {
    if (event.type === 'progress') followed.push(event.job);
    else end = event.type === 'final' ? event.job.state : event.type;
  }
  const { messages } = parseSse(initialSseState, await raw);
  const reported = messages.map(({ data }) => JSON.parse(data) as JobProgressRecord);
  await daemon.stop();
  checkOrder(reported);
  assert.is(end, 'finished');
  assert.ok(followed.length > 2, `only ${followed.length} events`);
});

test('an encode without a daemon reports its progress from start to end', async ({ request }) => {
  const records: JobProgressRecord[] = [];
  const job = await runOneShot(
    { ...request, outputs: request.outputs.map((output) => ({ ...output, overwrite: true })) },
    {
      hasMd5: true,
      folder: join(tempFolder(), 'data'),
      ffmpeg: process.env.VENC_FFMPEG ?? null,
      ffprobe: process.env.VENC_FFPROBE ?? null,
      signal: new AbortController().signal,
      onProgress: (record) => records.push(record),
      stallTimeoutSeconds: 5,
    },
  );
  assert.is(job?.state, 'finished');
  const input = await readFile(fileURLToPath(request.input));
  assert.is(job?.input_media_file.md5_checksum, createHash('md5').update(input).digest('hex'));
  checkOrder(records);
});

test.run();
