import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import { parseProcessorList } from '../../daemon/ffmpeg/containment/find-containment.js';
import type { OpenOptions } from '../../daemon/ffmpeg/open-ffmpeg.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { canContain, openContained, runError, scriptedFfmpeg } from './contained-programs.js';

const hasLimits = await canContain('limits');
const processors = availableParallelism();
const hasTaskset = (await findOnSearchPath('taskset', process.env.PATH ?? '')).length > 0;
const modes = (await canContain('sandbox')) ? (['none', 'bwrap'] as const) : (['none'] as const);

type Limits = NonNullable<OpenOptions['limits']>;

/** The error of an encode with some limits. */
async function limited(
  sandbox: 'none' | 'bwrap',
  limits: Limits,
  args: readonly string[],
  work?: { seconds: number; pixels: number },
) {
  const error = await runError(
    await openContained({ sandbox, limits }),
    args,
    work === undefined ? {} : { work },
  );
  return error === null ? null : { errorClass: error.errorClass, message: error.message };
}

const pattern = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25'] as const;

for (const sandbox of hasLimits ? modes : []) {
  test(`sandbox ${sandbox}: a small GIF scaled to 8000 pixels ends with the limit of memory`, async () => {
    const gif = join(tempFolder(), 'bomb.gif');
    await makeMedia(gif, testVideo('160x160', 10, 5));
    const scaled = ['-i', gif, '-vf', 'scale=8000:8000', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', 'out.mp4'];
    const error = await limited(sandbox, { maxMemoryBytes: 1e9 }, scaled);
    assert.is(error?.errorClass, 'MemoryLimitError');
    assert.match(error?.message ?? '', /memory than 1(?:\.0)? GB.*--max-encode-memory/);
  });

  test(`sandbox ${sandbox}: an encode within the limit of memory succeeds`, async () => {
    const args = [...pattern, '-t', '1', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', 'out.mp4'];
    assert.is(await limited(sandbox, {}, args), null);
  });

  test(`sandbox ${sandbox}: an output that is too large ends with the limit of its size`, async () => {
    const args = [...pattern, '-t', '20', '-c:v', 'rawvideo', '-f', 'nut', 'out.nut'];
    const error = await limited(sandbox, { maxOutputBytes: 1e6 }, args);
    assert.is(error?.errorClass, 'OutputSizeLimitError');
    assert.match(error?.message ?? '', /1(?:\.0)? MB.*--max-output-size/);
  });

  test(`sandbox ${sandbox}: an encode that uses too much processor time ends with that limit`, async () => {
    const args = [...pattern, '-c:v', 'mpeg4', '-f', 'null', '-'];
    const error = await limited(sandbox, { cpuFactor: 1 }, args, { seconds: 0.2, pixels: 1 });
    assert.is(error?.errorClass, 'CpuTimeLimitError');
    assert.match(error?.message ?? '', '--encode-cpu-factor');
  });

  test(`sandbox ${sandbox}: an encode that takes too long ends with that limit`, async () => {
    const error = await limited(sandbox, { maxEncodeSeconds: 0.5 }, ['-re', ...pattern, '-f', 'null', '-']);
    assert.is(error?.errorClass, 'EncodeTimeLimitError');
    assert.match(error?.message ?? '', /0\.5 seconds.*--max-encode-time/);
  });

  test(`sandbox ${sandbox}: an output that is longer than any permitted input ends the encode`, async () => {
    const error = await limited(sandbox, { maxInputSeconds: 1 }, [...pattern, '-f', 'null', '-']);
    assert.is(error?.errorClass, 'InputDurationLimitError');
    assert.match(error?.message ?? '', '--max-input-duration');
  });

  test(`sandbox ${sandbox}: a program that prints without line ends is ended, and the daemon keeps little of it`, async () => {
    const ffmpeg = await scriptedFfmpeg("while :; do printf '%65536s' x; done");
    const opened = await openContained({ ffmpeg, sandbox });
    const before = process.memoryUsage().rss;
    const error = await runError(opened, []);
    assert.is(error?.errorClass, 'TranscodingError');
    assert.match(error?.message ?? '', 'not its progress');
    assert.ok(process.memoryUsage().rss - before < 100e6);
  });

  test(`sandbox ${sandbox}: a program has its limits, no new privileges, a group of its own and no core dumps`, async () => {
    const ffmpeg = await scriptedFfmpeg(
      'cat /proc/self/limits /proc/self/status >&2; cut -d" " -f5 /proc/self/stat | sed "s/^/Group: /" >&2; exit 3',
    );
    const limits = { maxMemoryBytes: 500e6, maxOutputBytes: 7e6, cpuFactor: 1 };
    const error = await limitsSeen(await openContained({ ffmpeg, sandbox, limits }));
    assert.match(error, /Max data size +500000000 +500000000/);
    assert.match(error, /Max file size +7000000 +7000000/);
    assert.match(error, /Max cpu time +\d+ +\d+/);
    assert.match(error, /Max core file size +0 +0/);
    assert.match(error, /Max open files +512 +512/);
    assert.match(error, /NoNewPrivs:\t1/);
    const group = /^Group: (\d+)$/m.exec(error)?.[1];
    assert.ok(group !== undefined, error);
    assert.is.not(group, / \S (?:\d+) (\d+) /.exec(readFileSync('/proc/self/stat', 'utf8'))?.[1]);
    if (sandbox === 'bwrap') assert.match(error, /CapEff:\t0{16}\n/);
  });
}

(processors > 1 && hasTaskset ? test : test.skip)(
  'a run may use as many processors as permitted',
  async () => {
    const ffmpeg = await scriptedFfmpeg('cat /proc/self/status >&2; exit 3');
    const allowed = async (threads: number | null) => {
      const seen = await limitsSeen(await openContained({ ffmpeg, sandbox: 'none', limits: { threads } }));
      return parseProcessorList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(seen)?.[1] ?? '').length;
    };
    assert.is(await allowed(1), 1);
    assert.ok((await allowed(null)) > 1);
  },
);

/** What a scripted ffmpeg prints on stderr, from the file in its scratch folder that it is copied to. */
async function limitsSeen(opened: Awaited<ReturnType<typeof openContained>>): Promise<string> {
  const { readFile, writeFile } = await import('node:fs/promises');
  const scratch = tempFolder();
  const script = opened.report.ffmpeg?.path ?? '';
  const text = await readFile(script, 'utf8');
  await writeFile(script, text.replaceAll('>&2', '>> seen'));
  await runError(opened, [], { scratch });
  return readFile(join(scratch, 'seen'), 'utf8');
}

test.run();
