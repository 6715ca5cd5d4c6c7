import { mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { runVenc } from '../helpers/worker-process.js';

test('submit --skip-existing continues a batch: whole downloads are skipped, others made again', async () => {
  const folder = tempFolder();
  const films = join(folder, 'films');
  mkdirSync(join(films, 'a'), { recursive: true });
  await makeMedia(join(films, 'one.mov'), film('160x120', 1));
  await makeMedia(join(films, 'two.mov'), film('160x120', 2));
  await makeMedia(join(films, 'a', 'three.mov'), film('160x120', 1));
  const daemon = await startTestDaemon();
  const out = join(folder, 'out');
  const submit = () =>
    runVenc(['submit', films, '--wait', '--download', out, '--name', '{stem}-web.{ext}', '--skip-existing'], {
      VENC_URL: daemon.url,
      VENC_API_KEY: daemon.key,
    });
  const first = await submit();
  assert.is(first.code, 0, first.stderr);
  const files = () => readdirSync(out, { recursive: true }).map(String).toSorted();
  assert.equal(files(), ['a', 'a/three-web.mp4', 'one-web.mp4', 'two-web.mp4']);
  const whole = readFileSync(join(out, 'two-web.mp4'));
  truncateSync(join(out, 'two-web.mp4'), 5000);
  const newer = new Date(Date.now() + 60_000);
  utimesSync(join(films, 'one.mov'), newer, newer);
  const second = await submit();
  assert.is(second.code, 0, second.stderr);
  assert.match(second.stderr, 'venc: 1 was there already');
  assert.is(
    second.stdout
      .trim()
      .split('\n')
      .filter((line) => /^\d+/.test(line)).length,
    2,
    second.stdout,
  );
  assert.equal(files(), ['a', 'a/three-web.mp4', 'one-web.mp4', 'two-web.mp4']);
  assert.is(readFileSync(join(out, 'two-web.mp4')).length, whole.length);
  await daemon.stop();
});

test.run();
