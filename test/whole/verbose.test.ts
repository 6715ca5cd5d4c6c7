import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

test('run -v prints the command lines of ffmpeg, and -q nothing but the path', async () => {
  const cwd = tempFolder();
  await makeMedia(join(cwd, 'a.mov'), film('64x48', 1));
  const words = ['run', 'a.mov', '--width', '32', '--force'];
  const verbose = await runCli([...words, '-v'], { cwd });
  assert.equal([verbose.code, verbose.stdout], [0, 'a.mp4\n'], verbose.stderr);
  assert.match(verbose.stderr, /^venc: ffmpeg starts for output \d+: ffmpeg .*-i .*scale=/m);
  const quiet = await runCli([...words, '-q'], { cwd });
  assert.equal([quiet.code, quiet.stdout, quiet.stderr], [0, 'a.mp4\n', '']);
  const usual = await runCli(words, { cwd });
  assert.match(usual.stderr, /^venc: a\.mp4: [\d.]+ kB to/m);
});

test('daemon -v logs requests without keys and command lines, which its log files leave out', async () => {
  const cwd = tempFolder();
  await makeMedia(join(cwd, 'a.mov'), film('64x48', 1));
  const daemon = await startTestDaemon({ isVerbose: true });
  try {
    const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
    const { code, stderr } = await runCli(['submit', 'a.mov', '--wait', '-q'], { cwd, env });
    assert.equal([code, stderr], [0, '']);
    await fetch(`${daemon.url}/v2/jobs.json?api_key=${daemon.key}`);
    // The line follows the answer.
    await waitUntil('the request is logged', () =>
      daemon.logLines.some((line) =>
        /GET \S+\/v2\/jobs\.json\?api_key=\*\*\* \(status 200 after \d+ ms\)/.test(line),
      ),
    );
    const log = daemon.logLines.join('\n');
    assert.match(log, /Job \d+: ffmpeg starts for output \d+: ffmpeg /);
    assert.not.ok(log.includes(daemon.key));
    const stored = await runCli(['logs'], { env });
    assert.not.match(stored.stdout, /ffmpeg starts|status 200/);
  } finally {
    await daemon.stop();
  }
});

test.run();
