import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { launchDaemon, processKey } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { otherNames } from './other-names.js';

const small = { width: 64, clip_length: 0.2, speed: 5 };
const urlOf = (...parts: readonly string[]) => pathToFileURL(join(...parts)).href;
const foreign = 'mine, and nobody may replace it';

/** A daemon whose files may be in a new folder, and that folder with a film `me.mp4`. */
async function withDaemon(work: (daemon: TestDaemon, folder: string) => Promise<void>): Promise<void> {
  const folder = tempFolder();
  copyFileSync(await media('clip.mp4'), join(folder, 'me.mp4'));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    await work(daemon, folder);
  } finally {
    await daemon.stop();
  }
}

const rejectionOf = async (daemon: TestDaemon, body: unknown) => {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 422, await response.clone().text());
  return ((await response.json()) as { errors: string[] }).errors.join('; ');
};
const failureOf = ({ output_media_files: outputs }: JobRecord, index = 0) =>
  `${outputs[index]?.error_class}: ${outputs[index]?.error_message}`;

test('an output that is the input under any name is rejected, and the input stays', () =>
  withDaemon(async (daemon, folder) => {
    const before = readFileSync(join(folder, 'me.mp4'));
    for (const [what, prepare, name] of otherNames) {
      prepare(folder);
      const url = `${pathToFileURL(folder).href}/${name}`;
      for (const output of [{ url }, { url: urlOf(folder, 'other.mp4'), secondary_url: url, ...small }]) {
        for (const overwrite of [false, true]) {
          const errors = await rejectionOf(daemon, {
            input: urlOf(folder, 'me.mp4'),
            outputs: [{ ...small, ...output, overwrite }],
          });
          assert.match(errors, 'would write over the input', what);
        }
      }
    }
    const args = ['submit', urlOf(folder, 'me.mp4'), '--url', urlOf(folder, 'hard.mp4'), '--force'];
    const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
    const { code, stderr } = await runCli(args, { cwd: folder, env });
    assert.is(code, 2, stderr);
    assert.match(stderr, 'would write over the input');
    assert.equal(readFileSync(join(folder, 'me.mp4')), before);
  }));

test('an input that does not exist yet is found by its folder and name', () =>
  withDaemon(async (daemon, folder) => {
    symlinkSync('.', join(folder, 'here'));
    const body = {
      input: urlOf(folder, 'later.mp4'),
      outputs: [{ url: urlOf(folder, 'here', 'later.mp4') }],
    };
    assert.match(await rejectionOf(daemon, body), 'outputs[0].url would write over the input');
  }));

/** Bind mounts need root. */
function bindMount(from: string, to: string): boolean {
  mkdirSync(to);
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'ignore' });
    return true;
  } catch {
    process.stdout.write('skipped: a bind mount needs root and mount(8)\n');
    return false;
  }
}

test('an output that is the input through a bind mount is rejected', () =>
  withDaemon(async (daemon, folder) => {
    mkdirSync(join(folder, 'films'));
    renameSync(join(folder, 'me.mp4'), join(folder, 'films', 'me.mp4'));
    if (!bindMount(join(folder, 'films'), join(folder, 'mount'))) return;
    try {
      for (const name of ['me.mp4', 'new.mp4']) {
        const outputs = [{ url: urlOf(folder, 'mount', name) }];
        const errors = await rejectionOf(daemon, { input: urlOf(folder, 'films', name), outputs });
        assert.match(errors, 'would write over the input');
      }
    } finally {
      execFileSync('umount', [join(folder, 'mount')]);
    }
  }));

test('segments, playlists, thumbnails, captions and scores that hit the input or another output are rejected', () =>
  withDaemon(async (daemon, folder) => {
    symlinkSync('.', join(folder, 'link'));
    const names = [
      'film-00003.ts',
      'film-1.key',
      'shot_0002.png',
      'film.en.vtt',
      'film.quality.json',
      'film.m3u8',
    ] as const;
    for (const name of names) copyFileSync(join(folder, 'me.mp4'), join(folder, name));
    const encryption = { encryption_method: 'aes-128', encryption_key_rotation_period: 1 };
    const segmented = { type: 'segmented', url: urlOf(folder, 'link', 'film.m3u8') };
    const outputs: Readonly<Record<(typeof names)[number], object>> = {
      'film-00003.ts': segmented,
      'film-1.key': { ...segmented, ...encryption },
      'shot_0002.png': {
        url: urlOf(folder, 'out.mp4'),
        thumbnails: { number: 3, base_url: urlOf(folder, 'link'), prefix: 'shot' },
      },
      'film.en.vtt': { url: urlOf(folder, 'link', 'film.mp4'), subtitles: 'sidecar' },
      'film.quality.json': {
        url: urlOf(folder, 'link', 'film.mp4'),
        measure_quality: true,
        quality_log: true,
      },
      'film.m3u8': segmented,
    };
    for (const name of names) {
      const errors = await rejectionOf(daemon, { input: urlOf(folder, name), outputs: [outputs[name]] });
      assert.match(errors, 'would write over the input', name);
    }
    const both = [
      { ...segmented, url: urlOf(folder, 'cut.m3u8') },
      { url: urlOf(folder, 'link', 'cut-00007.ts') },
    ];
    assert.match(
      await rejectionOf(daemon, { input: urlOf(folder, 'me.mp4'), outputs: both }),
      'would write over the file of outputs[1]',
    );
    const sameFiles = [{ url: urlOf(folder, 'x.mp4') }, { url: urlOf(folder, 'link', 'x.mp4') }];
    assert.match(
      await rejectionOf(daemon, { input: urlOf(folder, 'me.mp4'), outputs: sameFiles }),
      'outputs[0].url would write over the file of outputs[1]',
    );
  }));

test('a link to the input that appears after the create fails the output, even with overwrite', () =>
  withDaemon(async (daemon, folder) => {
    const before = readFileSync(join(folder, 'me.mp4'));
    // The job does not begin before the link is there.
    assert.is((await daemon.request('/v2/queue/pause', { method: 'PUT' })).status, 200);
    const id = await daemon.create({
      input: urlOf(folder, 'me.mp4'),
      outputs: [{ url: urlOf(folder, 'second.mp4'), overwrite: true }],
    });
    linkSync(join(folder, 'me.mp4'), join(folder, 'second.mp4'));
    assert.is((await daemon.request('/v2/queue/resume', { method: 'PUT' })).status, 200);
    const job = await daemon.waitForJob(id);
    assert.match(failureOf(job), /^UploadFailureError: second\.mp4 was not replaced: it is the input/);
    assert.equal(readFileSync(join(folder, 'second.mp4')), before);
  }));

test('a foreign file is replaced only with overwrite, and else the output fails before it is encoded', () =>
  withDaemon(async (daemon, folder) => {
    writeFileSync(join(folder, 'out.mp4'), foreign);
    const started = await daemon.create({
      input: urlOf(folder, 'me.mp4'),
      outputs: [
        { ...small, url: urlOf(folder, 'out.mp4') },
        { ...small, url: urlOf(folder, 'other.mp4') },
      ],
    });
    const job = await daemon.waitForJob(started);
    assert.match(failureOf(job), /^UploadFailureError: out\.mp4 was not replaced: .*--force/);
    assert.is(readFileSync(join(folder, 'out.mp4'), 'utf8'), foreign);
    assert.is(job.output_media_files[1]?.state, 'finished');
    const encoding = daemon.logLines.filter((line) =>
      line.includes(`output ${job.output_media_files[0]?.id}`),
    );
    assert.not.match(encoding.join('\n'), 'is encoded');

    const outputs = [{ ...small, url: urlOf(folder, 'out.mp4'), overwrite: true }];
    const replaced = await daemon.waitForJob(
      await daemon.create({ input: urlOf(folder, 'me.mp4'), outputs }),
    );
    assert.is(replaced.state, 'finished', failureOf(replaced));
    assert.not.equal(readFileSync(join(folder, 'out.mp4'), 'latin1').slice(0, foreign.length), foreign);

    // Two jobs with the same destination: the file of the first one is foreign to the second.
    const again = [{ ...small, url: urlOf(folder, 'out.mp4') }];
    const third = await daemon.waitForJob(
      await daemon.create({ input: urlOf(folder, 'me.mp4'), outputs: again }),
    );
    assert.match(failureOf(third), /this job did not make it/);
    const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
    const words = [
      'submit',
      urlOf(folder, 'me.mp4'),
      '--url',
      urlOf(folder, 'out.mp4'),
      '--width',
      '64',
      '--wait',
    ];
    assert.is((await runCli(words, { cwd: folder, env })).code, 1);
    const forced = await runCli([...words, '--force'], { cwd: folder, env });
    assert.is(forced.code, 0, forced.stderr);
    assert.not.match(forced.stderr, 'no effect');
  }));

test('foreign segments and thumbnails stay', () =>
  withDaemon(async (daemon, folder) => {
    writeFileSync(join(folder, 'film-00001.ts'), foreign);
    writeFileSync(join(folder, 'out_0000.png'), foreign);
    const job = await daemon.waitForJob(
      await daemon.create({
        input: urlOf(folder, 'me.mp4'),
        outputs: [
          { ...small, type: 'segmented', url: urlOf(folder, 'film.m3u8') },
          { ...small, url: urlOf(folder, 'out.mp4'), thumbnails: { number: 1 } },
        ],
      }),
    );
    assert.match(failureOf(job, 0), 'film-00001.ts was not replaced');
    assert.match(failureOf(job, 1), 'out_0000.png was not replaced');
    for (const name of ['film-00001.ts', 'out_0000.png'])
      assert.is(readFileSync(join(folder, name), 'utf8'), foreign);
    for (const name of ['film.m3u8', 'out.mp4']) assert.not(existsSync(join(folder, name)));
  }));

test('a retry replaces the files that the job delivered, and no others', () =>
  withDaemon(async (daemon, folder) => {
    // The thumbnails are delivered before the video, whose name is taken meanwhile.
    mkdirSync(join(folder, 'kept'));
    const output = { ...small, url: urlOf(folder, 'out.mp4'), thumbnails: { number: 1 } };
    const id = await daemon.create({ input: urlOf(folder, 'missing.mp4'), outputs: [output] });
    assert.is((await daemon.waitForJob(id)).state, 'failed');
    copyFileSync(join(folder, 'me.mp4'), join(folder, 'missing.mp4'));
    writeFileSync(join(folder, 'out.mp4'), foreign);
    assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    const taken = await daemon.waitForJob(id);
    assert.match(failureOf(taken), 'out.mp4 was not replaced');
    assert.is(readFileSync(join(folder, 'out.mp4'), 'utf8'), foreign);
    unlinkSync(join(folder, 'out.mp4'));
    assert.is((await daemon.request(`/v2/jobs/${id}/resubmit`, { method: 'PUT' })).status, 204);
    const done = await daemon.waitForJob(id);
    assert.is(done.state, 'finished', failureOf(done));
    assert.ok(statSync(join(folder, 'out.mp4')).size > 1000);
  }));

/** Ends the process as `kill -9` does, after a delivered file got its name and before the job says so. */
const killAfterLink = `
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
for (const name of ['link', 'rename']) {
  const original = fsp[name];
  fsp[name] = async (from, to) => {
    await original(from, to);
    if (String(to).endsWith('/out.mp4')) process.kill(process.pid, 'SIGKILL');
  };
}
syncBuiltinESMExports();
`;

test('after a kill between the rename and the end of the output, the job replaces its own file', async () => {
  const folder = tempFolder();
  copyFileSync(await media('clip.mp4'), join(folder, 'me.mp4'));
  writeFileSync(join(folder, 'kill.mjs'), killAfterLink);
  const dataFolder = join(folder, 'data');
  const flags = ['--files-root', folder, '--log-format', 'json'];
  const env = { NODE_OPTIONS: `--import ${urlOf(folder, 'kill.mjs')}` };
  const killed = await launchDaemon(dataFolder, flags, { VENC_API_KEY: processKey, ...env });
  const body = JSON.stringify({
    input: urlOf(folder, 'me.mp4'),
    outputs: [{ ...small, url: urlOf(folder, 'out.mp4') }],
  });
  const headers = { 'Service-Api-Key': processKey };
  const created = await fetch(`${killed.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  await new Promise((resolve) => killed.child.once('exit', resolve));
  assert.is(killed.child.signalCode, 'SIGKILL');
  const left = statSync(join(folder, 'out.mp4')).ino;
  // Nothing but the identity in the record of the job says whose file it is.
  rmSync(join(dataFolder, 'scratch'), { recursive: true, force: true });
  const daemon = await startTestDaemon({ filesRoots: [folder], dataFolder });
  try {
    const job = await daemon.waitForJob(Number(id));
    assert.is(job.state, 'finished', failureOf(job));
    assert.is.not(statSync(join(folder, 'out.mp4')).ino, left);
  } finally {
    await daemon.stop();
  }
});

test.run();
