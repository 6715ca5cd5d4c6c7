import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyJob } from '../../../src/cli/jobs/resolve-jobs.js';
import { interruptedError } from '../../../src/cli/run/encode-all.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';
import type { JobRecord } from '../../../src/shared/records.js';
import { foldersToCreate, removeEmptyFolders } from '../../../src/shared/util/check-destinations.js';
import { tempFolder } from '../../helpers/temp.js';

function jobWith(states: readonly string[]): JobRecord {
  const outputs = states.map((state, index) => ({ id: index + 1, state }));
  return normaliseJob({ ...emptyJob(), state: 'cancelled', output_media_files: outputs }, 1);
}

test('the error of an interrupted run names the outputs that stay', () => {
  const paths = ['a', 'b', 'c', 'd', 'e'];
  const message = (...states: readonly string[]) => interruptedError(jobWith(states), paths).message;
  assert.is(
    message('cancelled', 'skipped'),
    'Interrupted: the encoding was cancelled and nothing was left behind.',
  );
  assert.is(
    message('cancelled', 'finished'),
    'Interrupted: the encoding was cancelled. 1 finished output stays: b.',
  );
  assert.is(
    message('finished', 'finished', 'finished', 'cancelled', 'finished'),
    'Interrupted: the encoding was cancelled. 4 finished outputs stay: a, b, c and 1 more.',
  );
});

test('only the empty folders that a run created are removed', async () => {
  const folder = tempFolder();
  const at = (path: string) => join(folder, path);
  await mkdir(at('old'));
  const missing = await foldersToCreate([at('new/a/1.mp4'), at('new/b/2.mp4'), at('old/3.mp4'), 's3://b/c']);
  assert.equal([...missing].sort(), [at('new'), at('new/a'), at('new/b')]);
  for (const path of missing.toReversed()) await mkdir(path);
  await writeFile(at('new/b/2.mp4'), '');
  await removeEmptyFolders(missing);
  assert.equal(
    ['new/a', 'new/b/2.mp4', 'old'].map((path) => existsSync(at(path))),
    [false, true, true],
  );
});

test.run();
