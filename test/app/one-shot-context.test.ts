import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAppContext } from '../../daemon/app/create-app-context.js';
import { tempFolder } from '../helpers/temp.js';

/** How many times the records are flushed to the disk while a data folder is opened and closed. */
async function countFlushes(isOwnFiles: boolean): Promise<number> {
  const { fsync } = fs;
  let count = 0;
  const counted = (file: number, done: fs.NoParamCallback) => {
    count += 1;
    fsync(file, done);
  };
  Object.assign(fs, { fsync: counted });
  syncBuiltinESMExports();
  try {
    const context = await createAppContext({
      ...{ dataFolder: join(tempFolder(), 'data'), filesRoots: [], isOwnFiles, apiKey: null },
      ...{ allowPrivateNetwork: true, stallTimeoutSeconds: 30, minFreeBytes: 0, maxOutputs: 10 },
      ...{ ffmpeg: null, ffprobe: null, log: () => undefined },
    });
    await context.start(0);
    await context.close(0);
  } finally {
    Object.assign(fs, { fsync });
    syncBuiltinESMExports();
  }
  return count;
}

test('the records of a daemon survive a power cut, and those of a one-shot run cost no flush', async () => {
  assert.ok((await countFlushes(false)) > 0);
  assert.is(await countFlushes(true), 0);
});

test.run();
