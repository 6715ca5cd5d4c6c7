import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testTone, testVideo } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { openPlayer, startBrowser } from './play.js';
import { type PlayerName, type PlayerPages, startPlayerPages } from './player-page.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  pages: PlayerPages;
  urls: Readonly<Record<StreamName, string>>;
}

const seconds = 13;
const segmentSeconds = 4;
const [high, low] = [180, 90] as const;
/** The streams of the test, and the players that can play each. */
const playersOf = {
  'transport stream': ['hls.js', 'shaka-player'],
  'CMAF by HLS': ['hls.js', 'shaka-player'],
  'CMAF by DASH': ['dash.js', 'shaka-player'],
  'indexed DASH': ['dash.js', 'shaka-player'],
} as const satisfies Readonly<Record<string, readonly PlayerName[]>>;
type StreamName = keyof typeof playersOf;

const name = 'streams in players';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    const folder = tempFolder();
    const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    const film = [...testVideo('320x180', 25, seconds), ...testTone(seconds), ...video, '-c:a', 'aac'];
    await makeMedia(join(folder, 'film.mp4'), film);
    const captions = '1\n00:00:01,000 --> 00:00:09,000\nErste Zeile\n';
    await writeFile(join(folder, 'de.srt'), captions);
    const captioned = { caption_url: { url: `file://${folder}/de.srt`, language: 'de', label: 'Deutsch' } };
    context.daemon = await startTestDaemon({ filesRoots: [folder] });
    const rendition = { type: 'segmented', segment_seconds: segmentSeconds };
    const cmaf = { ...rendition, packaging: 'cmaf' };
    const indexed = {
      ...rendition,
      streaming_delivery_format: 'dash',
      streaming_delivery_profile: 'on_demand',
    };
    const id = await context.daemon.create({
      input: `file://${folder}/film.mp4`,
      outputs: [
        { ...rendition, ...captioned, label: 'high', filename: 'high.m3u8' },
        { ...rendition, label: 'low', filename: 'low.m3u8', height: low },
        {
          type: 'playlist',
          filename: 'master.m3u8',
          streams: [
            { source: 'high', path: 'high.m3u8' },
            { source: 'low', path: 'low.m3u8' },
          ],
        },
        { ...cmaf, ...captioned, label: 'high-cmaf', filename: 'high-cmaf.m3u8', skip_audio: true },
        { ...cmaf, label: 'low-cmaf', filename: 'low-cmaf.m3u8', skip_audio: true, height: low },
        { ...cmaf, label: 'audio', filename: 'audio.m3u8', skip_video: true },
        {
          type: 'playlist',
          packaging: 'cmaf',
          filename: 'cmaf.m3u8',
          streams: ['high-cmaf', 'low-cmaf'].map((source) => ({ source, audio: 'voices' })),
          alternate_audio: { voices: { source: 'audio', language: 'en' } },
        },
        { ...indexed, label: 'high-indexed', filename: 'high-indexed.mpd' },
        { ...indexed, label: 'low-indexed', filename: 'low-indexed.mpd', height: low },
        {
          type: 'playlist',
          filename: 'indexed.mpd',
          streams: [{ source: 'high-indexed' }, { source: 'low-indexed' }],
        },
      ],
    });
    const job = await context.daemon.waitForJob(id);
    assert.is(job.state, 'finished', JSON.stringify(job));
    const [ts, cmafBoth, indexedDash] = [2, 6, 9].map((index) => job.output_media_files[index]);
    context.urls = {
      'transport stream': ts?.url ?? '',
      'CMAF by HLS': cmafBoth?.url ?? '',
      'CMAF by DASH': cmafBoth?.dash_url ?? '',
      'indexed DASH': indexedDash?.url ?? '',
    };
    context.browser = await startBrowser(chromium);
    context.pages = await startPlayerPages();
  });
  test.after(async ({ daemon, browser, pages }) => {
    await browser.close();
    pages.close();
    await daemon.stop();
  });

  for (const [stream, players] of Object.entries(playersOf))
    for (const player of players) {
      test(`${player} plays ${stream} across a segment border, switches renditions, seeks and reaches the end`, async ({
        browser,
        pages,
        urls,
      }) => {
        // The keys are those of the table.
        const open = await openPlayer(browser, pages, player, urls[stream as StreamName]);
        const started = await open.playUntil(({ currentTime }) => currentTime > 0.5);
        assert.equal([...started.levels].sort(), [high, low].sort());
        if (stream !== 'indexed DASH') assert.equal([...new Set(started.subtitles)], ['de']);
        assert.ok(Math.abs(started.duration - seconds) < 0.2, `the duration is ${started.duration}`);
        await open.seek(segmentSeconds - 0.5);
        const crossed = await open.playUntil(({ currentTime }) => currentTime > segmentSeconds + 0.5);
        assert.is(crossed.buffered.length, 1, JSON.stringify(crossed.buffered));
        await open.screenshot(`${stream} border`);
        const other = crossed.height === high ? low : high;
        await open.forceLevel(other);
        const switched = await open.playUntil(({ height }) => height === other);
        assert.is(switched.buffered.length, 1, JSON.stringify(switched.buffered));
        await open.screenshot(`${stream} switched`);
        await open.seek(2 * segmentSeconds + 1);
        const ended = await open.playUntil(({ hasEnded }) => hasEnded);
        assert.ok(ended.currentTime > seconds - 0.2, `it ended at ${ended.currentTime}`);
        await open.close();
      });
    }

  test.run();
}
