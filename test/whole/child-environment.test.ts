import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import { runCli } from '../cli/run-cli.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test.after(() => killDaemons());

const marker = 'hunter2';
const secrets: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: `AKIA-${marker}`,
  AWS_SECRET_ACCESS_KEY: marker,
  AWS_SESSION_TOKEN: marker,
  VENC_GCS_SECRET_ACCESS_KEY: marker,
  VENC_SWIFT_KEY: marker,
  VENC_SFTP_KEY: marker,
  VENC_SFTP_PASSPHRASE: marker,
  SOME_OTHER_TOKEN: marker,
  https_proxy: `http://user:${marker}@127.0.0.1:9`,
  no_proxy: '127.0.0.1',
};

/** The variables that programs may receive, and those that a shell sets by itself. */
const allowed =
  /^(?:PATH|HOME|TMPDIR|TZ|LANG|LANGUAGE|LC_\w+|LD_LIBRARY_PATH|XDG_(?:CACHE|CONFIG|DATA)_HOME|FONTCONFIG_\w+|GCONV_PATH|PWD|OLDPWD|SHLVL|_)$/;

interface SpyPrograms {
  readonly folder: string;
  readonly args: readonly string[];
  /** A PATH that starts with the spy programs. */
  readonly path: string;
  /** The programs that ran so far, and all variables that they received. */
  seen(): {
    readonly programs: readonly string[];
    readonly variables: readonly string[];
    readonly text: string;
  };
}

/** Creates programs that record their environment and then execute the real program. */
async function createSpies(): Promise<SpyPrograms> {
  const folder = tempFolder();
  const bin = join(folder, 'bin');
  const log = join(folder, 'log');
  mkdirSync(bin);
  writeFileSync(log, '');
  const searchPath = process.env.PATH ?? '';
  for (const name of ['ffmpeg', 'ffprobe', 'setpriv', 'flock']) {
    const [real] = await findOnSearchPath(name, searchPath);
    if (real === undefined) continue;
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\n{ echo "ran ${name}"; env; } >> '${log}'\nexec '${real}' "$@"\n`);
    chmodSync(path, 0o755);
  }
  // In a sandbox, the other ones could not write the log.
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(bin, 'bwrap'), 0o755);
  return {
    folder,
    args: ['--ffmpeg', join(bin, 'ffmpeg'), '--ffprobe', join(bin, 'ffprobe')],
    path: [bin, searchPath].join(delimiter),
    seen: () => {
      const text = readFileSync(log, 'utf8');
      const lines = text.split('\n');
      const programs = new Set(lines.filter((line) => line.startsWith('ran ')).map((line) => line.slice(4)));
      const variables = new Set(lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []));
      return { programs: [...programs].sort(), variables: [...variables], text };
    },
  };
}

function assertClean({ seen }: SpyPrograms, programs: readonly string[]): void {
  const found = seen();
  for (const name of programs) assert.ok(found.programs.includes(name), `${name} ran`);
  assert.equal(
    found.variables.filter((name) => !allowed.test(name)),
    [],
  );
  assert.not.match(found.text, marker);
  assert.not.match(found.text, processKey);
  assert.ok(found.variables.includes('HOME'));
}

test('run, plan and doctor start their programs without the secrets of the environment', async () => {
  const clip = await media('clip.mp4');
  const cases = [
    [
      ['run', clip, '-o', 'out.mp4', '--width', '64'],
      ['ffmpeg', 'ffprobe', 'setpriv'],
    ],
    [
      ['plan', clip, '--width', '64'],
      ['ffmpeg', 'ffprobe', 'setpriv'],
    ],
    [['doctor'], ['ffmpeg', 'ffprobe', 'setpriv']],
  ] as const;
  for (const [words, programs] of cases) {
    const spied = await createSpies();
    const { stderr } = await runCli([...words, ...spied.args], {
      cwd: spied.folder,
      env: { ...secrets, VENC_API_KEY: processKey, PATH: spied.path },
    });
    assert.not.match(stderr, /TypeError/);
    assertClean(spied, programs);
  }
});

test('the daemon starts its programs without the secrets of the environment', async () => {
  const clip = await media('clip.mp4');
  const spied = await createSpies();
  const environment = { ...secrets, PATH: spied.path, XDG_CACHE_HOME: join(spied.folder, 'cache') };
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  const args = ['--files-root', join(clip, '..'), ...spied.args];
  const daemon = await startDaemonProcess(join(spied.folder, 'data'), args);
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({ input: `file://${clip}`, outputs: [{ width: 64 }] });
  const created = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  const state = async () => {
    const response = await fetch(`${daemon.url}/v2/jobs/${id}`, { headers });
    return ((await response.json()) as { job: { state: string } }).job.state;
  };
  while (!['finished', 'failed'].includes(await state())) await pause(50);
  assert.is(await state(), 'finished');
  assertClean(spied, ['ffmpeg', 'ffprobe', 'setpriv']);
  assert.is(await daemon.end('SIGTERM'), 0);
});

test.run();
