import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AppOptions } from '../../../daemon/app/app-options.js';
import { createAppContext } from '../../../daemon/app/create-app-context.js';
import { openAccounts } from '../../../daemon/store/accounts/accounts.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import { defaultMaxOutputs } from '../../../src/shared/settings/limits.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

test('a data folder that fails to open is no longer watched', async () => {
  const dataFolder = tempFolder();
  const reported: string[] = [];
  const options: AppOptions = {
    dataFolder,
    filesRoots: [],
    allowPrivateNetwork: true,
    stallTimeoutSeconds: 30,
    minFreeBytes: 0,
    maxOutputs: defaultMaxOutputs,
    // The failing step follows the opening of the accounts.
    ffmpeg: join(dataFolder, 'no-such-program'),
    ffprobe: null,
    apiKey: null,
    log: ({ message }) => void reported.push(message),
  };
  mkdirSync(join(dataFolder, 'jobs'));
  assert.instance(await createAppContext(options).catch((error: unknown) => error), Error);
  // A second store that watches as the failed one did and began later: it sees every change that the first would have seen.
  const changes: string[] = [];
  const later = await openAccounts(folderSetup(dataFolder), { log: (_, message) => changes.push(message) });
  const path = join(dataFolder, 'accounts.json');
  const text = readFileSync(path, 'utf8');
  for (const [index, damage] of ['{', '{{'].entries()) {
    writeFileSync(path, damage + text);
    await waitUntil('the second store sees the damage', () => changes.length > index);
  }
  await later.close();
  assert.equal(reported, []);
});

test.run();
