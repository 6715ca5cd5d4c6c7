import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { ffprobe } from '../helpers/measure.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('base_url is the folder of the file, its name is filename or random, and url overrides both', async () => {
  const folder = tempFolder();
  const input = await media('clip.mp4');
  const daemon = await startTestDaemon({ filesRoots: [folder, dirname(input)] });
  try {
    const base = pathToFileURL(folder).href;
    const small = { width: 64, clip_length: 0.2 };
    const id = await daemon.create({
      input: pathToFileURL(input).href,
      outputs: [
        { ...small, base_url: `${base}/named`, filename: 'deep/ä b%.mov' },
        { ...small, base_url: `${base}/random/` },
        { ...small, base_url: `${base}/codec`, video_codec: 'vp8' },
        { ...small, url: `${base}/wins.mkv`, base_url: `${base}/loses`, filename: 'loses.webm' },
      ],
    });
    const job = await daemon.waitForJob(id);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));

    await access(join(folder, 'named', 'deep', 'ä b%.mov'));
    const [random = ''] = await readdir(join(folder, 'random'));
    assert.match(random, /^[\w-]{16,}\.mp4$/);
    const [codec = ''] = await readdir(join(folder, 'codec'));
    assert.match(codec, /^[\w-]{16,}\.webm$/);
    const found = await ffprobe(await readFile(join(folder, 'codec', codec)), tempFolder());
    assert.is(found.video?.codec_name, 'vp8');
    const winner = await ffprobe(await readFile(join(folder, 'wins.mkv')), tempFolder());
    assert.match(winner.format.format_name, /^matroska/);
    assert.is(winner.video?.codec_name, 'h264');
    assert.equal((await readdir(folder)).toSorted(), ['codec', 'named', 'random', 'wins.mkv']);
    assert.is(
      job.output_media_files.find(({ url }) => url?.endsWith('/named/deep/%C3%A4%20b%25.mov'))?.state,
      'finished',
    );
  } finally {
    await daemon.stop();
  }
});

test.run();
