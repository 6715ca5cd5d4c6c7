import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutgoingFile } from '../../../daemon/transports/remote/outgoing-file.js';
import { factsOf, sampleBytes } from '../../contracts/transport/evidence.js';
import { tempFolder } from '../../helpers/temp.js';

const bytes = sampleBytes(1_000_003);
const path = join(tempFolder(), 'out');
writeFileSync(path, bytes);

test('bytes that are read again after a break are summed once', async () => {
  const file = await OutgoingFile.open(path);
  for await (const _ of file.bytesFrom(0)) if (file.passedBytes > 500_000) break;
  assert.ok(file.passedBytes < bytes.byteLength);
  const rest = await buffer(file.bytesFrom(300_000));
  assert.ok(rest.equals(bytes.subarray(300_000)));
  assert.equal(file.facts(), factsOf(bytes));
});

test('how far it is is told when a piece has been taken, and never beyond the end', async () => {
  const file = await OutgoingFile.open(path);
  const told: number[] = [];
  await buffer(file.bytesFrom(0, (passed) => told.push(passed)));
  assert.is(told.at(-1), bytes.byteLength);
  assert.ok(told.length > 2);
});

test('nothing is left out of the sum', async () => {
  const file = await OutgoingFile.open(path);
  assert.throws(() => file.bytesFrom(1), /from where it was read to/);
});

test.run();
