import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FtpTestServer, startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { tempFolder } from '../helpers/temp.js';

const secret = 'hunter2-secret';
const ftpUrl = ({ port }: FtpTestServer, name: string) => `ftp://me:${secret}@127.0.0.1:${port}/${name}`;

test('the log of a private job has no URL, host or secret, whichever of its deliveries fail', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mov'), film('64x48', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder], allowPrivateNetwork: true });
  const server = await startFtpTestServer();
  const failing = await startFtpTestServer({ answers: { STOR: '553 not allowed' } });
  // It accepts the thumbnail, but neither the file nor the removal of the thumbnail.
  const stuck = await startFtpTestServer({
    rejects: (line) => /^(RNTO .*hidden\.mp4|DELE .*\.png)$/.test(line),
  });
  const thumbnails = { number: 1 };
  const cases: readonly (readonly [object, 'finished' | 'failed'])[] = [
    [{ url: ftpUrl(failing, 'hidden.mp4'), secondary_url: ftpUrl(server, 'hidden-2.mp4') }, 'finished'],
    [{ url: ftpUrl(failing, 'hidden.mp4'), secondary_url: ftpUrl(failing, 'hidden-2.mp4') }, 'failed'],
    [
      { url: ftpUrl(stuck, 'hidden.mp4'), secondary_url: ftpUrl(failing, 'hidden-2.mp4'), thumbnails },
      'failed',
    ],
  ];
  try {
    for (const [output, state] of cases) {
      const earlier = daemon.logLines.length;
      const input = `file://${join(folder, 'in.mov')}`;
      const id = await daemon.create({ input, private: true, outputs: [{ width: 32, ...output }] });
      const job = await daemon.waitForJob(id);
      assert.is(job.state, state, JSON.stringify(job));
      const lines = daemon.logLines.slice(earlier).join('\n');
      assert.match(lines, /goes to its secondary URL because its URL failed, Upload\w+$/m);
      if (state === 'failed')
        assert.match(lines, /cannot be delivered to its secondary URL either, Upload\w+$/m);
      assert.not.match(lines, /hidden|127\.0\.0\.1|ftp:|in\.mov/);
      assert.not.match(lines, secret);
    }
    assert.match(daemon.logLines.join('\n'), /1 delivered file.* could not be removed: \w+$/m);
  } finally {
    await daemon.stop();
    await Promise.all([server.close(), failing.close(), stuck.close()]);
  }
});

test.run();
