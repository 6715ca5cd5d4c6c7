/*
 * The answers of the API, whole: bodies, states and types of content, in JSON and XML, at the paths of both versions. A change that is
 * meant to keep the behaviour leaves the golden files as they are; every other one is seen in them.
 */
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { daemonSuite, startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { matchesGolden } from '../helpers/golden.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  daemon: TestDaemon;
  folder: string;
}

type Body = object | string;

const test = daemonSuite<Context>('answers of the API', async (context) => {
  context.folder = tempFolder();
  return { jobs: 0, filesRoots: [context.folder] };
});

/** Accepts notifications and never answers: no attempt ends while a job is read. */
const silent = createServer().listen(0, '127.0.0.1');
await new Promise((listening) => silent.once('listening', listening));
silent.unref();
test.after(() => void silent.close());

/** Sends requests one by one and compares all answers with a golden file. */
async function answersMatch(
  daemon: TestDaemon,
  name: string,
  requests: readonly (readonly [line: string, body?: Body | undefined, headers?: Record<string, string>])[],
): Promise<void> {
  const answers: string[] = [];
  for (const [line, body, headers] of requests) {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${daemon.url}${path}`, {
      method,
      headers: { 'Service-Api-Key': daemon.key, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type') ?? 'no content';
    const text = steady(await response.text(), daemon, type.startsWith('application/json'));
    answers.push(`${line}\n${response.status} ${type}\n${text}\n`);
  }
  matchesGolden(`http/${name}.txt`, answers.join('\n'));
}

/** A text without what differs from run to run: times, the address of the daemon, folders, random names. */
function steady(text: string, { url }: TestDaemon, isJson: boolean): string {
  const lines = isJson && text !== '' ? JSON.stringify(JSON.parse(text), null, 1) : text;
  return lines
    .replaceAll(url, 'http://daemon')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(
      /((?:waited|encoded|delivered)_in_ms(?:": | type="integer">))\d+/g,
      (_, name: string) => `${name}0`,
    )
    .replaceAll(/file:\/\/\/[^"< ]*\//g, 'file:///FOLDER/')
    .replaceAll(/[\w-]*[0-9a-f]{32}[\w-]*/g, 'RANDOM');
}

const input = 'http://127.0.0.1:9/film.mp4';
const full = {
  input,
  test: false,
  private: true,
  pass_through: 'order 7',
  notifications: [
    'someone@example.com',
    { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/done`, format: 'xml' },
  ],
  outputs: [
    { label: 'web', width: 640, video_bitrate: 900, thumbnails: { number: 3, label: 'stills' } },
    {
      label: 'phone',
      type: 'segmented',
      format: 'ts',
      filename: 'phone.m3u8',
      url: 'sftp://me@127.0.0.1:9/a/',
    },
    { label: 'list', type: 'playlist', streams: [{ path: 'phone.m3u8', bandwidth: 800 }] },
    { audio_bitrate: 56, size: '640x480', unknown_setting: 1 },
  ],
};
const xml =
  '<api-request><input>http://127.0.0.1:9/film.mp4</input><outputs type="array"><output><label>one</label></output></outputs></api-request>';

test('creates, details and progress of jobs that wait', async ({ daemon }) => {
  const id = await daemon.create(full);
  const [one, two] = [id + 1, id + 2];
  await answersMatch(daemon, 'waiting-jobs', [
    ['POST /v2/jobs', { input }],
    ['POST /v2/jobs.xml', { input }],
    ['POST /api/v2/jobs', full],
    ['POST /jobs', { input, output: { label: 'early' } }],
    ['POST /api/v2/jobs.xml', xml, { 'Content-Type': 'application/xml' }],
    [`GET /v2/jobs/${id}`],
    [`GET /v2/jobs/${id}.xml`],
    [`GET /api/v2/jobs/${id}.json`],
    [`GET /v2/jobs/${id}/progress`],
    [`GET /v2/jobs/${id}/progress.xml`],
    [`GET /v2/inputs/${one}`],
    [`GET /v2/inputs/${one}.xml`],
    [`GET /v2/inputs/${one}/progress`],
    [`GET /v1/inputs/${one}/progress.json`],
    [`GET /v2/outputs/${two}`],
    [`GET /v2/outputs/${two}.xml`],
    [`GET /v2/outputs/${two}/progress.json`],
    [`GET /v2/outputs/${two}/progress.xml`],
    [`GET /v2/outputs/${two}/progress.js?callback=show`],
    [`GET /v1/outputs/${two}/progress`],
    [`GET /outputs/${two}/progress`],
    [`PUT /v2/jobs/${id}/cancel`],
    [`GET /v2/jobs/${id}`],
    [`PUT /v2/jobs/${id}/cancel`],
    [`PUT /v2/jobs/${id}/resubmit.json`],
    [`POST /jobs/v1/${id}/cancel`],
    [`DELETE /v2/jobs/${id}`],
    [`GET /v2/jobs/${id}`],
    ['GET /v2/jobs?per_page=2'],
    ['GET /v2/jobs.xml?per_page=1&state=cancelled'],
  ]);
});

test('rejected requests', async ({ daemon }) => {
  await answersMatch(daemon, 'rejected-requests', [
    ['POST /v2/jobs', {}],
    ['POST /v2/jobs.xml', {}],
    ['POST /v2/jobs', '{"input":'],
    ['POST /v2/jobs', '<api-request><input>', { 'Content-Type': 'application/xml' }],
    ['POST /v2/jobs', 'input', { 'Content-Type': 'text/plain' }],
    ['POST /v2/jobs', { input: 'gopher://example.com/a' }],
    [
      'POST /v2/jobs',
      {
        input,
        outputs: [
          { width: -1, video_codec: 'divx' },
          { speed: 9, url: 'ftp://' },
        ],
      },
    ],
    ['POST /v2/jobs', { input, outputs: [{ witdh: 100, strict: true }] }],
    ['POST /v2/jobs', { input, outputs: [{ label: 'a' }, { label: 'a' }] }],
    ['POST /v2/jobs', { input, outputs: [{ source: 'nobody' }] }],
    ['POST /v2/jobs', { input, outputs: [{ format: 'webm', video_codec: 'h264' }] }],
    ['GET /v2/jobs/999999'],
    ['GET /v2/jobs/999999.xml'],
    ['GET /v2/jobs/abc'],
    ['PATCH /v2/jobs/1'],
    ['GET /v2/nothing'],
    ['GET /v2/jobs', undefined, { 'Service-Api-Key': 'wrong' }],
    ['GET /v2/jobs?per_page=x'],
    ['GET /v2/reports/vod?from=yesterday'],
  ]);
});

test('a finished job and a failed one', async ({ folder }) => {
  const film = join(folder, 'words.txt');
  await writeFile(film, 'a file that is passed on\n');
  const daemon = await startTestDaemon({ jobs: 1, filesRoots: [folder] });
  try {
    const url = pathToFileURL(film).href;
    const finished = await daemon.create({
      input: url,
      outputs: [{ type: 'transfer-only', label: 'as it is' }],
    });
    const failed = await daemon.create({ input: pathToFileURL(join(folder, 'missing.mp4')).href });
    for (const id of [finished, failed]) await daemon.waitForJob(id);
    await answersMatch(
      daemon,
      'final-jobs',
      [finished, failed].flatMap((id) => [
        [`GET /v2/jobs/${id}`] as const,
        [`GET /v2/jobs/${id}.xml`] as const,
        [`GET /v2/jobs/${id}/progress`] as const,
        [`GET /v2/outputs/${id + 2}/progress`] as const,
        [`PUT /v2/jobs/${id}/cancel`] as const,
      ]),
    );
  } finally {
    await daemon.stop();
  }
});

test.run();
