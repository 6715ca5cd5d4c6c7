import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import type { ErrorsRecord, JobRecord, OutputMediaFile } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testFfmpeg, testVideo } from '../helpers/media.js';
import { type FtpTestServer, startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Where the file of `quality_log` goes: with the output to its secondary URL, next to a playlist, to the hosted files, and never
 * over a file that the job did not make.
 */
interface Context {
  folder: string;
  input: string;
  daemon: TestDaemon;
}

const { measurer } = await testFfmpeg();
const test = daemonSuite<Context>('files of quality_log', async (context) => {
  context.folder = tempFolder();
  await makeMedia(join(context.folder, 'in.mov'), [...testVideo('64x48', 8, 1), '-c:v', 'libx264']);
  context.input = pathToFileURL(join(context.folder, 'in.mov')).href;
  return { filesRoots: [context.folder], allowPrivateNetwork: true };
});

const logged = { width: 32, speed: 5, measure_quality: true, quality_log: true };
const ftpUrl = ({ port }: FtpTestServer, name: string) => `ftp://me:secret@127.0.0.1:${port}/${name}`;
const urlOf = (...parts: readonly string[]) => pathToFileURL(join(...parts)).href;

/** Runs a job with one output. */
async function made({ daemon, input }: Context, output: object): Promise<OutputMediaFile> {
  const job = await daemon.waitForJob(await daemon.create({ input, outputs: [{ ...logged, ...output }] }));
  const [first] = job.output_media_files;
  if (first === undefined) throw new TypeError('a job has an output');
  return first;
}

const meanIn = (text: string) => (JSON.parse(text) as { readonly mean: number }).mean;

if (measurer === null) process.stdout.write('skipped: no ffmpeg with libvmaf\n');
else {
  for (const [type, name, other] of [
    ['standard', 'film.mp4', 'spare.mp4'],
    ['segmented', 'list.m3u8', 'spare.m3u8'],
  ] as const) {
    test(`the scores of a ${type} output go to its secondary URL with it, under the name of that`, async (context) => {
      const [server, failing] = await Promise.all([
        startFtpTestServer(),
        // Takes everything but the file itself, which comes last.
        startFtpTestServer({ rejects: (line) => line.startsWith('RNTO') && line.endsWith(name) }),
      ]);
      const output = await made(context, {
        ...{ type, url: ftpUrl(failing, name), secondary_url: ftpUrl(server, other) },
      });
      await Promise.all([server.close(), failing.close()]);
      assert.is(output.state, 'finished', JSON.stringify(output));
      assert.ok(failing.commands.some((line) => /^RNTO .*\.quality\.json$/.test(line)));
      assert.equal([...failing.files.keys()], []);
      assert.is(output.quality?.log_url, `ftp://me@127.0.0.1:${server.port}/spare.quality.json`);
      assert.is(meanIn(String(server.files.get('/spare.quality.json'))), output.quality?.mean);
      assert.ok(server.files.has(`/${other}`));
    });
  }

  test('the scores of a hosted output are hosted next to it', async (context) => {
    const { quality } = await made(context, { filename: 'hosted.mp4' });
    const response = await fetch(quality?.log_url ?? '');
    assert.is(response.status, 200);
    assert.is(meanIn(await response.text()), quality?.mean);
  });

  test('a file with the name of the scores is not replaced without overwrite', async (context) => {
    const { folder } = context;
    const path = join(folder, 'kept.quality.json');
    writeFileSync(path, 'mine');
    const url = urlOf(folder, 'kept.mp4');
    const kept = await made(context, { url });
    assert.is(kept.error_class, 'UploadFailureError');
    assert.match(kept.error_message ?? '', /kept\.quality\.json was not replaced/);
    assert.equal([readFileSync(path, 'utf8'), existsSync(join(folder, 'kept.mp4'))], ['mine', false]);
    const { quality } = await made(context, { url, overwrite: true });
    assert.is(meanIn(readFileSync(path, 'utf8')), quality?.mean);
  });

  test('two outputs with the same name for their scores are an error', async ({ daemon, folder, input }) => {
    const outputs = ['a.mp4', 'a.mkv'].map((name) => ({ ...logged, url: urlOf(folder, name) }));
    const response = await daemon.request('/v2/jobs', {
      method: 'POST',
      body: JSON.stringify({ input, outputs }),
    });
    assert.is(response.status, 422);
    assert.match(((await response.json()) as ErrorsRecord).errors.join(), /a\.quality\.json/);
  });

  test('venc run replaces a file with the name of its scores only with force', async ({ folder }) => {
    const path = join(folder, 'run.quality.json');
    writeFileSync(path, 'mine');
    const words = ['--width', '32', '--measure-quality', '--quality-log', '--progress', 'none', '--json'];
    const run = (...more: readonly string[]) =>
      runCli(['run', 'in.mov', '-o', 'run.mp4', ...words, ...more], { cwd: folder, env: { HOME: folder } });
    const kept = await run();
    assert.is.not(kept.code, 0);
    assert.match(kept.stderr, /run\.quality\.json/);
    assert.equal([readFileSync(path, 'utf8'), existsSync(join(folder, 'run.mp4'))], ['mine', false]);
    const forced = await run('--force');
    const [answer] = JSON.parse(forced.stdout) as readonly { readonly job: JobRecord }[];
    assert.is(meanIn(readFileSync(path, 'utf8')), answer?.job.output_media_files[0]?.quality?.mean);
    assert.equal(
      readdirSync(folder).filter((name) => name.startsWith('run.')),
      ['run.mp4', 'run.quality.json'],
    );
  });
}

test.run();
