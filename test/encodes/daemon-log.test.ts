import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

test.after(killDaemons);

test('the log shows the URL of the daemon, its ffmpeg, the result of a job, and the stop', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), film('160x90', 1));
  const data = join(folder, 'data');
  const daemon = await startDaemonProcess(data, [
    '--jobs',
    '3',
    '--files-root',
    folder,
    '--log-format',
    'json',
  ]);
  const entries = () =>
    daemon
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly message: string; readonly job_id?: number });
  const messages = () => entries().map(({ message }) => message);
  const output = (pattern: RegExp) => messages().some((message) => pattern.test(message));
  assert.ok(output(new RegExp(`listens at ${daemon.url}\\. Its data folder is ${data}\\.`)), daemon.logged());
  assert.ok(
    output(/^It encodes with ffmpeg \S+ \(\/.+\)(?: in a sandbox of bubblewrap)?\.$/),
    daemon.logged(),
  );
  assert.ok(output(/^It encodes 3 jobs at a time/), daemon.logged());
  await fetch(`${daemon.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': processKey },
    body: JSON.stringify({ input: `file://${folder}/film.mp4`, outputs: [{ label: 'web' }] }),
  });
  await waitUntil('the job is final', () => output(/^Job 1 is (finished|failed)/));
  assert.ok(output(/^Job 1 started: file:\/\/.*film\.mp4 to 1 output\.$/), daemon.logged());
  assert.ok(output(/^Job 1: the input is mpeg4, h264 160x90, aac, 1\.\d s, \d+\.\d kB\.$/), daemon.logged());
  assert.ok(output(/^Job 1: output 3 \(web\) is mpeg4, h264 160x90, aac, 1\.\d s, /), daemon.logged());
  assert.ok(output(/^Job 1 is finished: 1 of 1 output in \d+\.\d s, \d+\.\dx\.$/), daemon.logged());
  for (const { message, job_id } of entries())
    assert.is(job_id, message.startsWith('Job 1') ? 1 : undefined, message);
  assert.is(await daemon.end('SIGINT'), 0);
  // The job is finished slightly before its run ends.
  assert.ok(output(/^Stopping: (no job is running\.$|waiting up to .* for 1 job)/), daemon.logged());
});

test('Ctrl-C logs that no job is running', async () => {
  const daemon = await startDaemonProcess(join(tempFolder(), 'data'), []);
  assert.is(await daemon.end('SIGINT'), 0);
  assert.match(daemon.logged(), /Stopping: no job is running\./);
});

test('Ctrl-C logs the jobs that the daemon waits for', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), film('640x360', 30));
  const daemon = await startDaemonProcess(join(folder, 'data'), ['--files-root', folder, '--grace', '0.1']);
  await fetch(`${daemon.url}/v2/jobs`, {
    method: 'POST',
    headers: { 'Service-Api-Key': processKey },
    body: JSON.stringify({ input: `file://${folder}/film.mp4`, outputs: [{ speed: 1, video_codec: 'vp9' }] }),
  });
  await waitUntil('the job runs', () => daemon.logged().includes('Job 1: the input is'));
  assert.is(await daemon.end('SIGINT'), 0);
  assert.match(
    daemon.logged(),
    /Stopping: waiting up to 0\.1 s \(--grace\) for 1 job \(1\)\. Press Ctrl-C again/,
  );
});

test.run();
