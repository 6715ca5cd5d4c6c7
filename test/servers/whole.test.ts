import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { runCli } from '../cli/run-cli.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { makeMedia, media } from '../helpers/media.js';
import { ftpLocations } from '../helpers/servers/ftp-locations.js';
import { fileLocation, webLocation } from '../helpers/servers/local-locations.js';
import { processTree, skipSuite } from '../helpers/servers/program.js';
import { sftpLocation, storageLocations } from '../helpers/servers/remote-locations.js';
import type { StorageLocation } from '../helpers/servers/storage-location.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';

/** Names with characters that have a meaning in URLs, shells, FTP or XML. */
const oddName = (location: StorageLocation, what: string) =>
  `${what} ${location.scheme} 100% #1? a+b&c=d;e 'q' Grüße 映像`;

const files = fileLocation();
const locations: StorageLocation[] = [files, await webLocation('http'), await webLocation('https')];
const sftp = await sftpLocation();
if ('missing' in sftp) skipSuite('whole jobs over sftp', sftp);
else locations.push(sftp);

const ftp = await ftpLocations();
if ('missing' in ftp) skipSuite('whole jobs over ftp and ftps', ftp);
else locations.push(...ftp);
const storage = await storageLocations();
if ('missing' in storage) skipSuite('whole jobs over s3 and cf', storage);
else locations.push(storage[0], storage[1]);

const test = suite('whole jobs between servers');
const secrets = locations.flatMap((location) => location.secrets);
const data = join(tempFolder(), 'data');
const outputs: string[] = [];
let daemon: DaemonProcess;
let isWatching = true;
let watching: Promise<ReadonlySet<string>>;

test.before(async () => {
  Object.assign(process.env, ...locations.map(({ env }) => env));
  daemon = await startDaemonProcess(data, ['--files-root', files.root]);
  watching = watchProcesses();
});
test.after(async () => {
  isWatching = false;
  await daemon.end('SIGTERM');
  killDaemons();
  for (const location of locations) await location.end();
});

/** Collects the command lines of the daemon and its child processes while these tests run. */
async function watchProcesses(): Promise<ReadonlySet<string>> {
  const lines = new Set<string>();
  while (isWatching) {
    for (const pid of processTree(daemon.pid)) {
      try {
        lines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // The process has ended.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return lines;
}

/** Sends a request and records the response for the search for secrets. */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'Service-Api-Key': processKey };
  const response = await fetch(`${daemon.url}${path}`, { ...init, headers });
  outputs.push(await response.clone().text());
  return response;
}

async function ended(request: object): Promise<JobRecord> {
  const created = await ask('/v2/jobs', { method: 'POST', body: JSON.stringify(request) });
  if (created.status !== 201) throw new Error(await created.text());
  const { id } = (await created.json()) as { id: string };
  const { job } = await pollUntil(
    async () => (await (await ask(`/v2/jobs/${id}`)).json()) as { job: JobRecord },
    (record) => isFinal(record.job.state),
    120_000,
  );
  await ask(`/v2/jobs/${id}/progress`);
  await shown('show', id);
  return job;
}

/** Runs the command line tool and records its output for the search for secrets. */
async function shown(...words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCli(words, {
    env: { VENC_URL: daemon.url, VENC_API_KEY: processKey },
  });
  assert.is(code, 0, stderr);
  outputs.push(stdout, stderr);
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
const targets = locations.filter(({ urlOf }) => urlOf !== null);
const sources = locations.filter(({ offer }) => offer !== null);

for (const [index, source] of sources.entries()) {
  const logoSource = sources[(index + 1) % sources.length] ?? source;
  test(`an input over ${source.scheme} with a watermark over ${logoSource.scheme} is delivered unchanged to every destination`, async () => {
    const film = await readFile(await media('clip.mp4'));
    const logoPath = join(tempFolder(), 'logo.png');
    await makeMedia(logoPath, ['-f', 'lavfi', '-i', 'color=red:s=20x10:d=1', '-frames:v', '1']);
    const input = (await source.offer?.(`${oddName(source, 'in')}.mp4`, film)) ?? '';
    const logo = (await logoSource.offer?.(`${oddName(source, 'logo')}.png`, await readFile(logoPath))) ?? '';
    const common = { speed: 5, width: 80, watermark: { url: logo }, thumbnails: { number: 1 } };
    const stemFor = (target: StorageLocation) => `from ${source.scheme}/${oddName(target, 'to')}`;
    const job = await ended({
      input,
      outputs: [
        ...targets.map((target) => ({ ...common, url: target.urlOf?.(`${stemFor(target)}.mp4`) })),
        { ...common, filename: 'hosted ü.mp4' },
      ],
    });
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    const { md5_checksum: sum, file_size_bytes: size } = job.input_media_file;
    assert.equal([sum, size], [md5(film), film.byteLength]);
    for (const [at, target] of targets.entries()) {
      const output = job.output_media_files[at];
      const bytes = await target.read(`${stemFor(target)}.mp4`);
      assert.ok(bytes, `nothing arrived over ${target.scheme}`);
      assert.equal([output?.md5_checksum, output?.file_size_bytes], [md5(bytes), bytes.byteLength]);
      const thumbnail = await target.read(`${stemFor(target)}_0000.png`);
      assert.is(thumbnail?.subarray(1, 4).toString(), 'PNG', `no thumbnail arrived over ${target.scheme}`);
    }
    const hosted = job.output_media_files.at(-1);
    const bytes = Buffer.from(await (await fetch(hosted?.url ?? '')).arrayBuffer());
    assert.equal([hosted?.md5_checksum, hosted?.file_size_bytes], [md5(bytes), bytes.byteLength]);
  });
}

test('the output of an upload is delivered unchanged to every server', async () => {
  const film = await readFile(await media('clip.mp4'));
  const put = await ask(`/v2/uploads/${encodeURIComponent('ü 1.mp4')}`, { method: 'PUT', body: film });
  assert.is(put.status, 201);
  const { url } = (await put.json()) as { url: string };
  const outputs = targets.map((target) => ({ width: 64, url: target.urlOf?.('up.mp4') }));
  const job = await ended({ input: url, outputs });
  assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
  for (const [at, target] of targets.entries())
    assert.is(
      job.output_media_files[at]?.md5_checksum,
      md5((await target.read('up.mp4')) ?? Buffer.alloc(0)),
    );
});

test('a failed job reveals no password', async () => {
  for (const target of targets) {
    const missing = (target.urlOf?.('missing.mp4') ?? '').replace(/\.mp4$/, ' gone.mp4');
    const job = await ended({ input: encodeURI(missing).replaceAll('%25', '%') });
    assert.equal([target.scheme, job.state], [target.scheme, 'failed']);
    assert.is(job.input_media_file.error_class, 'FileNotFoundError', JSON.stringify(job.input_media_file));
  }
});

test('no password is in any response, log line, job list, process list or world-readable file', async () => {
  await ask('/v2/jobs');
  isWatching = false;
  const lines = [...(await watching)];
  await shown('list');
  const everything: readonly (readonly [string, string])[] = [
    ['responses', outputs.join('\n')],
    ['log', daemon.logged()],
    ['process list', lines.join('\n')],
  ];
  for (const [where, text] of everything)
    for (const secret of secrets)
      assert.not.ok(text.includes(secret), `a password is in the ${where}: ${secret}`);
  assert.ok(lines.some((line) => /ffmpeg.*-progress/.test(line)));
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const path = join(data, name);
    // The files of jobs move while the daemon runs.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined || !facts.isFile() || (facts.mode & 0o077) === 0) continue;
    const text = readFileSync(path, 'latin1');
    const reported = secrets.filter((secret) => text.includes(Buffer.from(secret).toString('latin1')));
    assert.equal(reported, [], `${name}, mode ${(facts.mode & 0o777).toString(8)}, contains a password`);
  }
});

test.run();
