import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { captionsInVideo, withCaptionsInVideo } from './captions-harness.js';
import { buildPaths, startShipped } from './shipped-run.js';

for (const [build, path] of await buildPaths()) {
  test(`captions within the video are kept, unless they are skipped (${build})`, async () => {
    const folder = tempFolder();
    const [plain, captioned, input] = ['a.h264', 'b.h264', 'in.mp4'].map((name) => join(folder, name));
    if (plain === undefined || captioned === undefined || input === undefined) throw new TypeError();
    await makeMedia(plain, [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=3', '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
      ...['-preset', 'ultrafast', '-x264-params', 'slices=1:sliced-threads=0'],
    ]);
    await writeFile(captioned, withCaptionsInVideo(await readFile(plain)));
    await makeMedia(input, ['-r', '25', '-i', captioned, '-c', 'copy']);
    assert.match(await captionsInVideo(input), /HELLO/);
    const encoder = await startShipped(path);
    try {
      for (const [settings, pattern] of [
        [{}, /HELLO/],
        [{ video_bitrate: 200, width: 80 }, /HELLO/],
        [{ copy_video: true }, /HELLO/],
        [{ skip_captions: true }, /^$/],
        [{ subtitles: 'drop' }, /HELLO/],
      ] as const) {
        const made = await encoder.encoded(input, settings);
        assert.is(made.job.state, 'finished', made.job.output_media_files[0]?.error_message ?? '');
        assert.match(await captionsInVideo(made.path), pattern, JSON.stringify(settings));
        const { input_media_file: source, output_media_files: outputs } = made.job;
        assert.is(source.closed_captions, true);
        assert.is(outputs[0]?.closed_captions, pattern.source === '^$' ? undefined : true);
      }
      // Those of a transport stream are between its packet headers.
      const stream = join(folder, 'in.ts');
      await makeMedia(stream, ['-i', input, '-c', 'copy']);
      for (const file of [input, stream]) {
        const written = await encoder.encoded(
          file,
          { type: 'captions', language: 'en', start_clip: 0.5 },
          'out.vtt',
        );
        assert.is(written.job.state, 'finished', written.job.output_media_files[0]?.error_message ?? '');
        assert.is(written.job.input_media_file.closed_captions, true);
        assert.match(
          await readFile(written.path, 'utf8'),
          /^WEBVTT\n\n00:00:00\.060 --> 00:00:01\.900(?: .*)?\nHELLO\n+$/,
        );
        // The same captions, copied: the codes of HE, LL and O.
        const copied = await encoder.encoded(file, { type: 'captions' }, 'out.scc');
        assert.is(copied.job.state, 'finished', copied.job.output_media_files[0]?.error_message ?? '');
        assert.match(await readFile(copied.path, 'latin1'), /^Scenarist_SCC V1\.0\n[\s\S]*c845[\s\S]*4c4c/);
      }
    } finally {
      await encoder.end();
    }
  });
}

test.run();
