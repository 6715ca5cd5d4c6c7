import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AppOptions, createAppContext } from '../../../daemon/app/create-app-context.js';
import { openAccounts } from '../../../daemon/store/accounts/json-account-store.js';
import { defaultMaxOutputs } from '../../../src/shared/settings/limits.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

test('a data folder that fails to open is not watched any more', async () => {
  const dataFolder = tempFolder();
  const reported: string[] = [];
  const options: AppOptions = {
    dataFolder,
    filesRoots: [],
    allowPrivateNetwork: true,
    stallTimeoutSeconds: 30,
    minFreeBytes: 0,
    maxOutputs: defaultMaxOutputs,
    // What fails comes after the accounts were opened.
    ffmpeg: join(dataFolder, 'no-such-program'),
    ffprobe: null,
    apiKey: null,
    log: (_, message) => reported.push(message),
  };
  mkdirSync(join(dataFolder, 'jobs'));
  assert.instance(await createAppContext(options).catch((error: unknown) => error), Error);
  // One that watches as the failed one did, and began later: what it sees, the other would have seen.
  const heard: string[] = [];
  const later = await openAccounts(dataFolder, { log: (_, message) => heard.push(message) });
  const path = join(dataFolder, 'accounts.json');
  const text = readFileSync(path, 'utf8');
  for (const [index, damage] of ['{', '{{'].entries()) {
    writeFileSync(path, damage + text);
    await waitUntil('the later one sees the damage', () => heard.length > index);
  }
  await later.close();
  assert.equal(reported, []);
});

test.run();
