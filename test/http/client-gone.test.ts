import { request } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { waitUntil } from '../helpers/wait-until.js';

test('a client that disconnects during an upload is not an error of the daemon', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  const upload = request(`${daemon.url}/v2/uploads/film.mov`, {
    method: 'PUT',
    agent: false,
    headers: { 'Service-Api-Key': daemon.key, 'Content-Length': 1000 },
  });
  upload.on('error', () => {});
  const written = new Promise((resolve) => upload.write('the beginning', resolve));
  await written;
  upload.destroy();
  const isLogged = () => daemon.logLines.some((line) => line.includes('/v2/uploads/film.mov'));
  await waitUntil('the log reports it', isLogged);
  assert.equal(
    daemon.logLines.filter((line) => line.includes('/v2/uploads/')),
    ['info PUT /v2/uploads/film.mov: the client disconnected before the answer.'],
  );
  await daemon.stop();
});

test.run();
