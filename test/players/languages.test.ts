import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { openPlayer, startBrowser } from './play.js';
import { type PlayerPages, startPlayerPages } from './player-page.js';

interface Context {
  daemon: TestDaemon;
  browser: Browser;
  pages: PlayerPages;
  playlist: string;
  manifest: string;
}

const seconds = 20;
const hertz = { en: 440, de: 880 } as const;
/** How far the strongest frequency may be from the tone: two steps of the analysis, in Hz. */
const tolerance = 12;

const name = 'languages in players';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    const folder = tempFolder();
    const tone = (frequency: number) => ['-f', 'lavfi', '-i', `sine=${frequency}:duration=${seconds}`];
    const maps = ['-map', '0', '-map', '1', '-map', '2', '-c:a', 'aac'];
    const labels = ['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=ger'];
    const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    const film = [...testVideo('320x180', 25, seconds), ...tone(hertz.en), ...tone(hertz.de)];
    await makeMedia(join(folder, 'film.mkv'), [...film, ...maps, ...labels, ...video]);
    context.daemon = await startTestDaemon({ filesRoots: [folder] });
    const cmaf = { type: 'segmented', packaging: 'cmaf', segment_seconds: 4 };
    const id = await context.daemon.create({
      input: `file://${folder}/film.mkv`,
      outputs: [
        { ...cmaf, label: 'video', filename: 'video.m3u8', skip_audio: true },
        { ...cmaf, label: 'audio', filename: 'audio.m3u8', skip_video: true, audio_tracks: 'all' },
        {
          ...{ type: 'playlist', packaging: 'cmaf', filename: 'master.m3u8' },
          streams: [{ source: 'video', audio: 'voices' }],
          alternate_audio: { voices: { source: 'audio', language: 'und' } },
        },
      ],
    });
    const job = await context.daemon.waitForJob(id);
    assert.is(job.state, 'finished', JSON.stringify(job));
    context.playlist = job.output_media_files[2]?.url ?? '';
    context.manifest = job.output_media_files[2]?.dash_url ?? '';
    context.browser = await startBrowser(chromium);
    context.pages = await startPlayerPages();
  });
  test.after(async ({ daemon, browser, pages }) => {
    await browser.close();
    pages.close();
    await daemon.stop();
  });

  for (const [player, form] of [
    ['hls.js', 'playlist'],
    ['shaka-player', 'playlist'],
    ['shaka-player', 'manifest'],
    ['dash.js', 'manifest'],
  ] as const) {
    test(`${player} plays the audio of a ${form} in both languages`, async ({ browser, pages, ...urls }) => {
      const open = await openPlayer(browser, pages, player, urls[form]);
      await open.listen();
      const isHeard = (language: 'en' | 'de', found: number | null) =>
        found !== null && Math.abs(found - hertz[language]) < tolerance;
      // By then nothing is being loaded: hls.js reports an aborted request as an error.
      const started = await open.playUntil(({ tone, currentTime }) => isHeard('en', tone) && currentTime > 2);
      assert.equal([...new Set(started.languages)].sort(), ['de', 'en']);
      await open.speak('de');
      await open.playUntil(({ tone }) => isHeard('de', tone));
      await open.screenshot(`${form} in German`);
      await open.speak('en');
      await open.playUntil(({ tone }) => isHeard('en', tone));
      await open.close();
    });
  }

  test.run();
}
