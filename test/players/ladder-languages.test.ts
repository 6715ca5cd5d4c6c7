import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { makeMedia, testVideo } from '../helpers/media.js';
import { findProgram, skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { openPlayer, startBrowser } from './play.js';
import { type PlayerPages, startPlayerPages } from './player-page.js';

interface Context {
  browser: Browser;
  pages: PlayerPages;
  files: Server;
  url: string;
}

const seconds = 20;
const hertz = { en: 440, de: 880, fr: 1320 } as const;
type Language = keyof typeof hertz;
/** How far the strongest frequency may be from the tone: two steps of the analysis, in Hz. */
const tolerance = 12;

const name = 'languages of a ladder in players';
const chromium = findProgram('chromium');
if ('missing' in chromium) skipSuite(name, chromium);
else {
  const test = suite<Context>(name);

  test.before(async (context) => {
    const folder = tempFolder();
    const tones = Object.values(hertz).flatMap((tone) => ['-f', 'lavfi', '-i', `sine=${tone}:d=${seconds}`]);
    const maps = ['0', '1', '2', '3'].flatMap((index) => ['-map', index]);
    const labels = ['eng', 'ger', 'fre'].flatMap((code, at) => [`-metadata:s:a:${at}`, `language=${code}`]);
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    const film = join(folder, 'film.mkv');
    await makeMedia(film, [...testVideo('640x360', 25, seconds), ...tones, ...maps, ...labels, ...codecs]);
    const ladder = join(folder, 'ladder');
    const flags = ['--hls', ladder, '--ladder', '360,180', '--segment-seconds', '4', '--speed', '5'];
    const { code, stderr } = await runCli(['run', film, ...flags, '--progress', 'none']);
    assert.is(code, 0, stderr);
    context.files = createServer(async (request, response) => {
      const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
      response.setHeader('Access-Control-Allow-Origin', '*');
      const content = await readFile(join(ladder, path)).catch(() => null);
      if (content === null) response.writeHead(404).end();
      else response.end(content);
    });
    await new Promise<void>((listening) => context.files.listen(0, '127.0.0.1', listening));
    context.url = `http://127.0.0.1:${(context.files.address() as AddressInfo).port}`;
    context.browser = await startBrowser(chromium);
    context.pages = await startPlayerPages();
  });
  test.after(async ({ files, browser, pages }) => {
    await browser.close();
    pages.close();
    files.closeAllConnections();
    files.close();
  });

  for (const [player, file] of [
    ['hls.js', 'master.m3u8'],
    ['shaka-player', 'master.m3u8'],
    ['shaka-player', 'master.mpd'],
    ['dash.js', 'master.mpd'],
  ] as const) {
    test(`${player} switches among the three languages of ${file}`, async ({ browser, pages, url }) => {
      const open = await openPlayer(browser, pages, player, `${url}/${file}`);
      await open.listen();
      const hear = (language: Language, from = 0) =>
        open.playUntil(
          ({ tone, spoken, currentTime }) =>
            tone !== null &&
            Math.abs(tone - hertz[language]) < tolerance &&
            spoken === language &&
            currentTime > from,
        );
      // By then nothing is being loaded: hls.js reports an aborted request as an error.
      const started = await hear('en', 2);
      assert.equal([...new Set(started.languages)].sort(), ['de', 'en', 'fr']);
      await open.screenshot(`${file} before the switch`);
      await open.speak('fr');
      await hear('fr');
      await open.screenshot(`${file} after the switch`);
      await open.speak('de');
      await hear('de');
      await open.close();
    });
  }

  test.run();
}
