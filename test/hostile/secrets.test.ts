import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../cli/run-here.js';
import { type DaemonProcess, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { startHttpSource } from '../helpers/servers/http-source.js';
import { printClosingLine } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

/** Searches for secrets wherever another user or a client could read them, while a job that has many of them runs and after it failed. */
const test = suite('secrets');
const counted = { processes: 0, answers: 0, files: 0, lines: 0 };
test.after(() => {
  const { processes, answers, files, lines } = counted;
  printClosingLine('hostile/secrets', [
    `${processes} processes, ${answers} answers, ${files} files and ${lines} log lines searched`,
  ]);
});

/** Every secret has this word. */
const word = 'hunter2';
const apiKey = `key-${word}-of-the-owner`;
const environment = {
  VENC_API_KEY: apiKey,
  AWS_ACCESS_KEY_ID: `AKIA-${word}`,
  AWS_SECRET_ACCESS_KEY: `s3-${word}`,
  AWS_SESSION_TOKEN: `session-${word}`,
  VENC_GCS_SECRET_ACCESS_KEY: `gcs-${word}`,
  VENC_GCS_ACCESS_KEY_ID: `gcs-id-${word}`,
  VENC_SWIFT_KEY: `swift-${word}`,
  VENC_SFTP_KEY: `sftp-${word}`,
  VENC_SFTP_PASSPHRASE: `passphrase-${word}`,
};

/** What is read of a process, which may end meanwhile: then `otherwise`. */
function readOf<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The processes below a process. */
function descendantsOf(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`;
  const children = readOf(() => readdirSync(tasks), []).flatMap((task) => {
    const text = readOf(() => readFileSync(`${tasks}/${task}/children`, 'utf8'), '');
    return text.split(' ').filter(Boolean).map(Number);
  });
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The encoders below a process, and the programs that contain them, which have the same arguments. */
function encodersOf(pid: number): readonly number[] {
  const commandOf = (child: number) => readOf(() => readFileSync(`/proc/${child}/cmdline`, 'latin1'), '');
  return descendantsOf(pid).filter((child) => commandOf(child).split('\0').includes('-progress'));
}

function searchProcesses(daemon: DaemonProcess): void {
  const text = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
  assert.not.match(text(daemon.pid, 'cmdline'), word);
  assert.match(text(daemon.pid, 'coredump_filter'), /^0+\n$/);
  const encoders = encodersOf(daemon.pid);
  assert.ok(encoders.length > 0, 'an encoder runs');
  for (const pid of encoders) {
    assert.not.match(text(pid, 'cmdline'), word);
    assert.not.match(text(pid, 'environ'), word);
    assert.match(text(pid, 'coredump_filter'), /^0+\n$/);
    counted.processes += 1;
  }
}

test('secrets are in no process list, environment, answer, log, error or file that others may read', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'film.mp4'), film('320x240', 8));
  const bytes = readFileSync(join(folder, 'film.mp4'));
  const source = await startHttpSource((request, response) => {
    request.resume();
    if (request.headers.authorization === undefined) response.writeHead(401).end();
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  const failing = await startFtpTestServer({ answers: { STOR: '553 not allowed' } });
  const dataFolder = join(folder, 'data');
  const daemon = await startDaemonProcess(dataFolder, ['--jobs', '1'], environment);
  const headers = { 'Service-Api-Key': apiKey };
  const shown: string[] = [];
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${daemon.url}${path}`, { headers });
    const text = await response.text();
    shown.push(text, JSON.stringify([...response.headers]));
    return text;
  };
  try {
    const added = await runInProcess(
      ['credentials', 'add', 'studio', '--scheme', 'ftp', '--data', dataFolder],
      { stdin: `me\nsaved-${word}\n` },
    );
    assert.is(added.code, 0, added.stderr);
    const target = `127.0.0.1:${failing.port}`;
    const request = {
      input: source.url('/film.mp4?token=query-hunter2&a=1', `me:url-${word}`),
      notifications: {
        url: source.url('/hook?signature=query-hunter2', `me:hook-${word}`),
        headers: { Authorization: `Bearer header-${word}`, 'X-Secret-Token': `header-${word}` },
      },
      outputs: [
        {
          label: 'a',
          url: `ftp://me:ftp-${word}@${target}/a.mp4`,
          secondary_url: `ftp://me:second-${word}@${target}/b.mp4`,
          speed: 1,
        },
        { label: 'b', url: `ftp://${target}/c.mp4`, credentials: 'studio', width: 64 },
        {
          label: 'c',
          type: 'segmented',
          encryption_method: 'aes-128',
          encryption_key: Buffer.from(`key-${word}.....`).subarray(0, 16).toString('hex'),
          width: 64,
        },
      ],
    };
    const created = await fetch(`${daemon.url}/v2/jobs`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    const text = await created.text();
    assert.is(created.status, 201, text);
    shown.push(text);
    const { id } = JSON.parse(text) as { id: string };
    // Not any ffmpeg: the sandbox of an ffprobe, which soon ends, names the folders of ffmpeg.
    await waitUntil('an encoder runs', () => encodersOf(daemon.pid).length > 0);
    searchProcesses(daemon);
    const job = await pollUntil(
      async () =>
        JSON.parse(await get(`/v2/jobs/${id}`)).job as {
          state: string;
          input_media_file: { id: number };
          output_media_files: { id: number }[];
        },
      ({ state }) => ['finished', 'failed', 'cancelled'].includes(state),
    );
    assert.is(job.state, 'failed');
    const inputId = job.input_media_file.id;
    const outputIds = job.output_media_files.map((output) => output.id);
    for (const path of [
      ...[
        '/v2/jobs',
        '/v2/jobs.xml',
        `/v2/jobs/${id}.xml`,
        `/v2/jobs/${id}/progress`,
        `/v2/jobs/${id}/events`,
      ],
      ...[
        `/v2/inputs/${inputId}`,
        `/v2/inputs/${inputId}/progress.xml`,
        `/v2/inputs/${inputId}.js?callback=a`,
      ],
      ...outputIds.flatMap((output) => [`/v2/outputs/${output}`, `/v2/outputs/${output}/progress`]),
      ...[
        '/v2/settings',
        '/health',
        '/version',
        '/openapi.json',
        '/',
        '/v2/reports/all',
        '/v2/jobs/0',
        '/nothing',
      ],
      ...['/v2/jobs?api_key=other-hunter2&state=x', '/v2/jobs?page=x&api_key=other-hunter2'],
    ])
      await get(path);
    counted.answers = shown.length;
    for (const answer of shown) assert.not.match(answer, word);

    // It is sent when the job has ended, and logged when it was answered.
    await waitUntil('the notification is in the log', () => daemon.logged().includes('notification'));
    const log = daemon.logged();
    counted.lines = log.split('\n').length;
    assert.not.match(log, word);

    // The commands print no secret either.
    for (const words of [
      ['show', id],
      ['list'],
      ['show', id, '--json'],
      ['credentials', 'list'],
      ['accounts', 'list'],
      ['keys', 'list'],
    ]) {
      const own = ['credentials', 'accounts', 'keys'].includes(words[0] ?? '')
        ? ['--data', dataFolder]
        : ['--url', daemon.url];
      const { stdout, stderr } = await runInProcess([...words, ...own], { env: { VENC_API_KEY: apiKey } });
      assert.not.match(stdout + stderr, word, words.join(' '));
    }

    const searchFile = (path: string) => {
      counted.files += 1;
      if (readFileSync(path).includes(word)) assert.is(statSync(path).mode & 0o077, 0, path);
    };
    // These are there only while the daemon runs.
    for (const name of ['daemon.json', 'lock']) searchFile(join(dataFolder, name));
    // A job's file moves until the journal is empty.
    await daemon.end('SIGTERM');
    assert.is(statSync(dataFolder).mode & 0o077, 0, 'only the owner may open the data folder');
    for (const entry of readdirSync(dataFolder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      // Hosted files, such as the key of segments, are for players.
      if (!entry.isFile() || !existsSync(path) || path.includes('/hosted/')) continue;
      searchFile(path);
    }
  } finally {
    await daemon.end('SIGTERM');
    await Promise.all([source.close(), failing.close()]);
  }
});

test('a core dump of the daemon contains none of its memory', async () => {
  const folder = tempFolder();
  const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
  if (pattern.startsWith('|') || pattern.includes('/')) {
    process.stdout.write(`skipped: core dumps of this machine go to "${pattern}"\n`);
    return;
  }
  const program = new URL('../../../bin/venc.js', import.meta.url).pathname;
  const args = [program, 'daemon', '--port', '0', '--data', join(folder, 'data'), '--jobs', '0'];
  // Kills the daemon with a core dump once it has printed its URL.
  const script =
    'ulimit -c unlimited; cd "$1"; shift; exec 3< <(exec "$@"); pid=$!; read -r _ <&3; kill -ABRT $pid; wait $pid; true';
  execFileSync('bash', ['-c', script, 'bash', folder, process.execPath, ...args], {
    env: { ...process.env, VENC_API_KEY: apiKey },
    stdio: 'ignore',
  });
  const dumps = readdirSync(folder).filter((name) => name.startsWith('core'));
  assert.is(dumps.length, 1, 'a core dump was written');
  for (const name of dumps) assert.not.ok(readFileSync(join(folder, name)).includes(word), name);
});

test.run();
