import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planParts } from '../../../daemon/transports/s3/upload-in-parts.js';

const mebibyte = 1024 * 1024;
const sizes = [17, 500, 2_048, 80_000, 80_001, 700_000, 5 * mebibyte].map(
  (megabytes) => megabytes * mebibyte + 1,
);

for (const sizeBytes of sizes) {
  test(`${sizeBytes} bytes are uploaded in at most 10,000 parts of 8 MiB or more, which together contain every byte`, () => {
    const { partBytes, count, concurrency: workerCount } = planParts(sizeBytes);
    assert.ok(count <= 10_000);
    assert.ok(partBytes >= 8 * mebibyte);
    assert.ok(count * partBytes >= sizeBytes && (count - 1) * partBytes < sizeBytes);
    assert.ok(workerCount === 1 || workerCount * partBytes <= 32 * mebibyte);
  });
}

test.run();
