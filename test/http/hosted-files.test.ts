import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fileNameParameters } from '../../daemon/http/file-reply.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';

const token = '0123456789abcdef0123456789abcdef';
const page = '<!doctype html><script>document.title = document.domain</script>';

const test = daemonSuite<{ daemon: TestDaemon }>('hosted files', { jobs: 0 }, async ({ daemon }) => {
  const folder = join(daemon.dataFolder, 'hosted', token);
  await mkdir(folder, { recursive: true });
  for (const [name] of names) await writeFile(join(folder, name), page);
});

/** Names of files with their disposition. */
const names = [
  ['film.mp4', 'inline'],
  ['FILM.MP4', 'inline'],
  ['film.ts', 'inline'],
  ['segment.m4s', 'inline'],
  ['voice.mp3', 'inline'],
  ['master.m3u8', 'inline'],
  ['de.vtt', 'inline'],
  ['a.png', 'inline'],
  ['a.jpg', 'inline'],
  ['a.gif', 'inline'],
  ['a.webp', 'inline'],
  ['a.avif', 'inline'],
  ['page.html', 'attachment'],
  ['page.xhtml', 'attachment'],
  ['logo.svg', 'attachment'],
  ['master.mpd', 'attachment'],
  ['stream.smil', 'attachment'],
  ['de.ttml', 'attachment'],
  ['de.srt', 'attachment'],
  ['scores.json', 'attachment'],
  ['script.js', 'attachment'],
  ['film.mp4.html', 'attachment'],
  ['film', 'attachment'],
  ['.mp4', 'attachment'],
] as const;

const address = (daemon: TestDaemon, name: string) =>
  `${daemon.url}/hosted/${token}/${encodeURIComponent(name)}`;

for (const [name, disposition] of names)
  test(`${name} is ${disposition}, in a sandbox, and readable by scripts`, async ({ daemon }) => {
    for (const init of [{}, { method: 'HEAD' }, { headers: { Range: 'bytes=0-3' } }]) {
      const { headers, status } = await fetch(address(daemon, name), init);
      assert.ok([200, 206].includes(status), String(status));
      assert.is(headers.get('content-disposition'), `${disposition}; filename="${name}"`);
      assert.is(headers.get('content-security-policy'), 'sandbox');
      assert.is(headers.get('x-content-type-options'), 'nosniff');
      assert.is(headers.get('access-control-allow-origin'), '*');
      assert.not.match(headers.get('content-type') ?? '', /html|javascript|svg/);
    }
  });

const parameters: readonly (readonly [string, string])[] = [
  ['a b (1).mp4', 'filename="a b (1).mp4"'],
  ['ü.mp4', `filename="_.mp4"; filename*=UTF-8''%C3%BC.mp4`],
  ["it's *ö*.mp4", `filename="it's *_*.mp4"; filename*=UTF-8''it%27s%20%2A%C3%B6%2A.mp4`],
  ['a"; x="b.mp4', `filename="a_; x=_b.mp4"; filename*=UTF-8''a%22%3B%20x%3D%22b.mp4`],
  ['a\\b%41.mp4', `filename="a_b_41.mp4"; filename*=UTF-8''a%5Cb%2541.mp4`],
  ['a\r\nSet-Cookie: b', `filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`],
  ['🎬.mp4', `filename="_.mp4"; filename*=UTF-8''%F0%9F%8E%AC.mp4`],
  ['\ud83c.mp4', 'filename="_.mp4"'],
];

for (const [name, expected] of parameters)
  test(`the name ${JSON.stringify(name)} is sent as RFC 6266 says`, () => {
    assert.is(fileNameParameters(name), expected);
  });

test.run();
