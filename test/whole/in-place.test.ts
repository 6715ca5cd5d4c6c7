import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const films = tempFolder();
test.before(async () => {
  await makeMedia(join(films, 'one.mp4'), film('320x240', 2));
  await copyFile(join(films, 'one.mp4'), join(films, 'two.mp4'));
});

/** The names in the folder of uploads of a data folder. */
function uploadsOf(dataFolder: string): Promise<readonly string[]> {
  return readdir(join(dataFolder, 'uploads')).catch(() => []);
}

test('submit --in-place uploads nothing, and the jobs finish', async () => {
  const daemon = await startTestDaemon({ jobs: 1 });
  const { dataFolder } = daemon;
  const words = ['submit', join(films, 'one.mp4'), join(films, 'two.mp4'), '--in-place', '--width', '32'];
  const { code, stdout, stderr } = await runInProcess([...words, '--wait', '--data', dataFolder]);
  assert.is(code, 0, stderr);
  const ids = stdout.trim().split('\n').map(Number);
  assert.is(ids.length, 2);
  for (const [index, name] of ['one', 'two'].entries()) {
    const job = await daemon.waitForJob(ids[index] ?? 0);
    assert.is(job.input_media_file.url, `file://${films}/${name}.mp4`);
  }
  assert.not.match(stderr, /upload/);
  assert.equal(await uploadsOf(dataFolder), []);
  await daemon.stop();
});

test('a file that cannot be read in place is uploaded, and the reason is printed', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const { dataFolder } = daemon;
  const small = join(films, 'small.mp4');
  await writeFile(small, 'small');
  const { code, stdout, stderr } = await runInProcess(['submit', small, '--in-place', '--data', dataFolder]);
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    /venc: .*small\.mp4 is uploaded, because it cannot be read in place\. .*at least 4096: upload/,
  );
  const { job } = await daemon.read<{ job: { input_media_file: { url: string } } }>(
    `/v2/jobs/${stdout.trim()}`,
  );
  assert.match(job.input_media_file.url, /^upload:/);
  await daemon.stop();
});

test('a service without the route gets the file, and one elsewhere gets no path', async () => {
  const { createServer } = await import('node:http');
  const paths: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      paths.push(`${request.method} ${request.url}`);
      response.setHeader('Content-Type', 'application/json');
      if (request.url?.startsWith('/v2/offers')) return response.writeHead(404).end('{"errors":["no"]}');
      if (request.method === 'PUT') return response.writeHead(201).end('{"url":"upload://t/one.mp4"}');
      return response.writeHead(201).end('{"id":"7","outputs":[]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const submit = (url: string) =>
    runInProcess(['submit', join(films, 'one.mp4'), '--in-place'], {
      env: { VENC_URL: url, VENC_API_KEY: 'k' },
    });
  const here = await submit(`http://127.0.0.1:${port}`);
  assert.is(here.code, 0, here.stderr);
  assert.match(here.stderr, /This service does not read files in place/);
  assert.ok(paths.includes('POST /v2/offers'));
  paths.length = 0;
  // Another name of this machine that the command cannot know for one.
  const elsewhere = await submit(`http://0.0.0.0:${port}`);
  assert.is(elsewhere.code, 0, elsewhere.stderr);
  assert.match(elsewhere.stderr, /The service is on another machine/);
  assert.not.ok(paths.some((path) => path.includes('in-place')));
  server.close();
});

test('in-place needs a local media file, and excludes --stage', async () => {
  await mkdir(join(films, 'requests'));
  const request = join(films, 'requests', 'job.json');
  await writeFile(request, '{"input": "http://example.com/a.mp4"}');
  for (const [words, error] of [
    [['http://example.com/a.mp4', '--in-place'], /--in-place needs a local media file/],
    [[request, '--in-place'], /--in-place needs a local media file/],
    [
      [join(films, 'one.mp4'), '--in-place', '--stage', 's3://b/c'],
      /--in-place.*--stage|--stage.*--in-place/,
    ],
    [['-', '--ndjson', '--in-place'], /--ndjson.*--in-place|--in-place.*--ndjson/],
  ] as const) {
    const { code, stderr } = await runInProcess(['submit', ...words]);
    assert.is(code, 2, stderr);
    assert.match(stderr, error);
  }
});

test.run();
