import { openFfmpeg } from '../../daemon/ffmpeg/index.js';

/**
 * Not a test: replaces a daemon that is killed. Arguments: ffmpeg, ffprobe, cache folder, scratch folder, search path.
 * Encodes endlessly and prints a line once the encoder runs.
 */
const [ffmpegPath = '', ffprobePath = '', cacheFolder = '', scratch = '', searchPath = ''] =
  process.argv.slice(2);
const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe: ffprobePath, cacheFolder, searchPath });
let isReported = false;
await ffmpeg?.run(['-re', '-f', 'lavfi', '-i', 'testsrc2=size=64x48', '-f', 'null', '-'], {
  signal: new AbortController().signal,
  scratch,
  onProgress: () => {
    if (!isReported) process.stdout.write('encoding\n');
    isReported = true;
  },
});
