import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isVencError } from '../../src/shared/errors.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { canContain, openContained, processesWith, runError, scriptedFfmpeg } from './contained-programs.js';

const hasSandbox = await canContain('sandbox');
const sandboxed = hasSandbox ? test : test.skip;

/** Runs lines of bash as ffmpeg in a sandbox, and returns what they wrote to `seen` in the scratch folder. */
async function seenInSandbox(lines: string, scratch = tempFolder()): Promise<string> {
  const opened = await openContained({ ffmpeg: await scriptedFfmpeg(lines), sandbox: 'bwrap' });
  await runError(opened, ['-i', join(scratch, 'input')], { scratch });
  return readFile(join(scratch, 'seen'), 'utf8');
}

sandboxed(
  'a taken-over ffmpeg cannot read another file, connect anywhere or see other processes',
  async () => {
    const secret = join(tempFolder(), 'owner-key');
    await writeFile(secret, 'hunter2');
    const server = createServer((socket) => socket.end('reached'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const seen = await seenInSandbox(
        [
          'exec > seen 2>&1',
          `cat '${secret}' && echo READ`,
          'cat /etc/passwd && echo READ',
          `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo CONNECTED`,
          'kill -0 2 && echo SAW-A-PROCESS',
          'ls /proc | grep -c "^[0-9]"',
          `echo x > '${join(secret, '..', 'new')}' && echo WROTE`,
          'echo x > /usr/lib/new && echo WROTE',
          'echo x > /dev/shm/new && echo WROTE',
        ].join('\n'),
      );
      assert.match(seen, /owner-key: No such file or directory/);
      assert.match(seen, /passwd: No such file or directory/);
      assert.match(
        seen,
        /dev\/tcp\/127\.0\.0\.1\/\d+: (?:Network is unreachable|Connection refused)|connect: /,
      );
      assert.not.match(seen, /hunter2|READ|CONNECTED|SAW-A-PROCESS|WROTE/);
    } finally {
      server.close();
    }
  },
);

sandboxed(
  'the scratch folder is writable, and its input and the journal of deliveries are not readable or changed',
  async () => {
    const scratch = tempFolder();
    await writeFile(join(scratch, 'input'), 'film');
    await writeFile(join(scratch, 'deliveries'), '1 out.mp4 ftp://user:hunter2@host/out.mp4\n');
    const lines = [
      'exec > seen 2>&1',
      'cat input deliveries',
      'echo x >> input && echo WROTE',
      'echo y > deliveries',
    ];
    const seen = await seenInSandbox(lines.join('\n'), scratch);
    assert.match(seen, /^film/);
    assert.not.match(seen, /hunter2|WROTE/);
    assert.is(await readFile(join(scratch, 'input'), 'utf8'), 'film');
    assert.match(await readFile(join(scratch, 'deliveries'), 'utf8'), 'hunter2');
  },
);

sandboxed(
  'the scratch folder and an input may be in /dev/shm, and the rest of /dev is read-only',
  async () => {
    const [scratch, other] = await Promise.all([mkdtemp('/dev/shm/venc-'), mkdtemp('/dev/shm/venc-')]);
    try {
      const opened = await openContained({ sandbox: 'bwrap' });
      const film = join(other, 'film.mp4');
      await writeFile(film, await readFile(await media('clip.mp4')));
      assert.is(await runError(opened, ['-i', film, '-c', 'copy', 'out.mp4'], { scratch }), null);
      const lines = [
        'exec > seen 2>&1',
        'echo x > /dev/shm/new && echo WROTE',
        'echo x > /dev/new && echo WROTE',
      ];
      assert.not.match(await seenInSandbox(lines.join('\n'), scratch), 'WROTE');
    } finally {
      await Promise.all([scratch, other].map((folder) => rm(folder, { recursive: true })));
    }
  },
);

sandboxed('the real ffmpeg in a sandbox reads its input, and no other file and no address', async () => {
  const opened = await openContained({ sandbox: 'bwrap' });
  const [scratch, other] = [tempFolder(), tempFolder()];
  const film = await media('clip.mp4');
  assert.is(await runError(opened, ['-i', film, '-c', 'copy', 'out.mp4'], { scratch }), null);
  await writeFile(join(other, 'other.mp4'), await readFile(film));
  // Options that an attacker cannot set, but a flaw of a demuxer could amount to.
  const open = [
    '-protocol_whitelist',
    'file,tcp,http,pipe',
    '-format_whitelist',
    'concat,mov,hls',
    '-safe',
    '0',
  ];
  await writeFile(join(scratch, 'list'), `ffconcat version 1.0\nfile '${join(other, 'other.mp4')}'\n`);
  const outside = await runError(opened, ['-f', 'concat', ...open, '-i', 'list', '-f', 'null', '-'], {
    scratch,
  });
  assert.match(outside?.message ?? '', /No such file or directory/);
  const address = ['-f', 'hls', ...open, '-i', 'http://127.0.0.1:9/a.m3u8', '-f', 'null', '-'];
  const network = await runError(
    opened,
    address.filter((arg) => arg !== '-safe' && arg !== '0'),
    { scratch },
  );
  assert.match(network?.message ?? '', /Connection refused|Network is unreachable|Input\/output error/);
});

test('a link that a program leaves in the scratch folder is removed, and the run fails', async () => {
  const ffmpeg = await scriptedFfmpeg('ln -s /etc/hostname out.mp4; exit 0');
  const scratch = tempFolder();
  const error = await runError(await openContained({ ffmpeg }), [], { scratch });
  assert.match(error?.message ?? '', 'created a link');
  assert.is(await readFile(join(scratch, 'out.mp4')).catch(() => null), null);
});

sandboxed('a stopped encoder is ended after the stall timeout, with all its processes', async () => {
  const opened = await openContained({ sandbox: 'bwrap', limits: { stallSeconds: 1 } });
  const scratch = tempFolder();
  const endless = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x48', '-y', join(scratch, 'out.nut')];
  const running = opened.ffmpeg?.run(endless, {
    signal: new AbortController().signal,
    scratch,
    onProgress: () => {
      for (const pid of processesWith(scratch)) process.kill(pid, 'SIGSTOP');
    },
  });
  const error: unknown = await running?.catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'TranscodingTimeoutError'), String(error));
  assert.match(error.message, /1 second \(--encode-stall-timeout\)/);
  await waitUntil('all processes are gone', () => processesWith(scratch).length === 0);
});

sandboxed('a cancelled encode leaves no process', async () => {
  const opened = await openContained({ sandbox: 'bwrap' });
  const scratch = tempFolder();
  const stop = new AbortController();
  const endless = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x48', '-y', join(scratch, 'out.nut')];
  const running = opened.ffmpeg?.run(endless, {
    signal: stop.signal,
    scratch,
    onProgress: () => stop.abort(),
  });
  const error: unknown = await running?.catch((reason: unknown) => reason);
  assert.ok(isVencError(error, 'InterruptedError'), String(error));
  assert.equal(processesWith(scratch), []);
});

test('a sandbox that is required and does not work is an error, and one that is not required is reported', async () => {
  const folder = tempFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'bwrap'),
    '#!/bin/sh\necho "No permissions to create new namespace" >&2; exit 1\n',
    {
      mode: 0o755,
    },
  );
  const searchPath = `${bin}:${process.env.PATH}`;
  const required: unknown = await openContained({ searchPath, sandbox: 'bwrap' }).catch(
    (error: unknown) => error,
  );
  assert.ok(isVencError(required, 'UsageError'), String(required));
  assert.match(required.message, /--sandbox bwrap.*No permissions to create new namespace/);
  const { ffmpeg, report } = await openContained({ searchPath });
  assert.is(report.bwrap, null);
  assert.match(report.sandboxProblem ?? '', 'No permissions');
  assert.ok(ffmpeg);
});

test('what each run used is reported at its end', async () => {
  const used: { program: string; seconds: number; memory: number | null; cpu: number | null }[] = [];
  const opened = await openContained({
    onProgramEnd: ({ program, seconds, peakMemoryBytes, cpuSeconds }) =>
      used.push({ program, seconds, memory: peakMemoryBytes, cpu: cpuSeconds }),
  });
  const film = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:duration=16', '-c:v', 'mpeg4', 'out.mp4'];
  assert.is(await runError(opened, film), null);
  await opened.ffmpeg?.probe(await media('clip.mp4'));
  assert.equal(used.map(({ program }) => program).slice(0, 2), ['ffmpeg', 'ffprobe']);
  assert.ok((used[0]?.seconds ?? 0) > 0.01);
  if (process.platform !== 'linux') return;
  assert.ok((used[0]?.cpu ?? 0) > 0.05, JSON.stringify(used));
  assert.ok((used[0]?.memory ?? 0) > 10e6, JSON.stringify(used));
});

test.run();
