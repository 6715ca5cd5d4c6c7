import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeDaemonAddress, writeDaemonAddress } from '../../../daemon/store/data-folder/daemon-address.js';
import { tempFolder } from '../../helpers/temp.js';

const test = suite('the address of the daemon');

test('it is written for only the owner, replaced, and removed', async () => {
  const folder = tempFolder();
  const path = join(folder, 'daemon.json');
  await writeDaemonAddress(folder, { url: 'http://127.0.0.1:1', pid: 1 });
  await writeDaemonAddress(folder, { url: 'http://127.0.0.1:2', pid: 2 });
  assert.equal(JSON.parse(readFileSync(path, 'utf8')), { url: 'http://127.0.0.1:2', pid: 2 });
  assert.is(statSync(path).mode & 0o777, 0o600);
  await removeDaemonAddress(folder);
  assert.equal(readdirSync(folder), []);
  await removeDaemonAddress(folder);
});

test.run();
