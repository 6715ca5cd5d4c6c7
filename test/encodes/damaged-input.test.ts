import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../daemon/ffmpeg/index.js';
import { plan } from '../../daemon/plan/plan.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia, media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';
import { probed } from './decoded-media.js';

const folder = tempFolder();
const good = join(folder, 'good.mp4');
const bad = join(folder, 'bad.mp4');

/** Replaces a part of a file with bytes that no encoder wrote. */
function overwrite(from: string, to: string, [start, end]: readonly [number, number]): void {
  const bytes = readFileSync(from);
  let state = 1;
  for (let at = Math.floor(bytes.length * start); at < bytes.length * end; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = (state >> 16) & 255;
  }
  writeFileSync(to, bytes);
}

await makeMedia(good, [
  ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2'],
  ...['-c:v', 'libx264', '-c:a', 'aac', '-movflags', '+faststart'],
]);
overwrite(good, bad, [0.4, 0.6]);

for (const [build, ffmpeg] of await encoders()) {
  const hasDamage = async (input: string): Promise<boolean> => {
    const settings = { speed: 5 };
    const output = { id: 7, settings, filename: 'a.mp4', isTest: false };
    const facts = await ffmpeg.probe(input);
    const { steps } = plan([output], facts, { input, scratch: folder }, ffmpeg.capabilities);
    let found = false;
    for (const { args } of steps) {
      const onReport = ({ isDamaged }: RunReport) => {
        found ||= isDamaged;
      };
      await ffmpeg.run(
        args.map((arg) => (arg === '-n' ? '-y' : arg)),
        {
          signal: new AbortController().signal,
          scratch: folder,
          onProgress: () => {},
          onReport,
        },
      );
    }
    return found;
  };

  test(`${build}: damage in the middle of a file is found, and none in undamaged files`, async () => {
    assert.ok(await hasDamage(bad));
    assert.not(await hasDamage(good));
    for (const name of ['clip.mp4', 'clip.mkv', 'clip.ts', 'clip.webm', 'silent.mp4', 'audio.mp3'] as const)
      assert.not(await hasDamage(await media(name)), name);
  });
}

test('the outputs of a damaged input have a warning, and fewer frames', async () => {
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  try {
    const outputs = ['one.mp4', 'two.mp4'].map((name) => ({ url: `file://${folder}/out/${name}`, speed: 5 }));
    const made = async (input: string) =>
      daemon.waitForJob(await daemon.create({ input: `file://${input}`, outputs }));
    const job = await made(bad);
    assert.is(job.state, 'finished');
    for (const file of job.output_media_files)
      assert.match((file.warnings ?? []).join(), /^The input is damaged: the decoder reported errors/);
    const packets = await probed(join(folder, 'out', 'one.mp4'), [
      ...['-select_streams', 'v', '-show_entries', 'packet=size'],
    ]);
    assert.ok(packets.length < 50, `${packets.length} of 50 frames`);
    for (const file of (await made(good)).output_media_files) assert.is(file.warnings, undefined);
  } finally {
    await daemon.stop();
  }
});

test.run();
