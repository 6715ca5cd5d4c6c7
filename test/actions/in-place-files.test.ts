import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InPlaceFiles } from '../../daemon/actions/in-place-files.js';
import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError } from '../../src/shared/errors.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { proofFor } from '../helpers/in-place.js';
import { tempFolder } from '../helpers/temp.js';

const path = join(tempFolder(), 'film.mov');
test.before(() => writeFile(path, randomBytes(3_000_000)));

function open() {
  let elapsed = 0;
  const files = new InPlaceFiles({ daemonId: 'here', randomToken, elapsedMs: () => elapsed });
  const offer = (account = 'one', size = 3_000_000) => files.offer(account, { path, size });
  const prove = async (account = 'one') => {
    const challenge = offer(account);
    return files.prove(account, challenge.token, { proof: await proofFor(challenge, path) });
  };
  const wait = (seconds: number) => {
    elapsed += seconds * 1000;
  };
  return { files, offer, prove, wait };
}

async function errorOf(work: () => unknown): Promise<ErrorClass | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!isVencError(error)) throw error;
    return error.errorClass;
  }
}

test('a proved file is found by its account only, for ten minutes', async () => {
  const { files, prove, wait } = open();
  const url = await prove();
  assert.is(files.find('one', url)?.url, `file://${path}`);
  assert.is(files.find('one', url)?.file.daemonId, 'here');
  assert.is(files.find('other', url), null);
  wait(599);
  assert.ok(files.find('one', url));
  wait(1);
  assert.is(files.find('one', url), null);
});

test('an offer is proved by its account only, within ten minutes', async () => {
  const { files, offer, wait } = open();
  const challenge = offer();
  const proof = await proofFor(challenge, path);
  const prove = (account: string) => errorOf(() => files.prove(account, challenge.token, { proof }));
  assert.is(await prove('other'), 'NotFoundError');
  wait(600);
  assert.is(await prove('one'), 'NotFoundError');
});

test('the ranges are spread over the file, and nobody can foresee them', () => {
  const { offer } = open();
  const size = 64 * 1_000_000;
  const [one, other] = [offer('one', size).ranges, offer('one', size).ranges];
  assert.is(one.length, 64);
  assert.not.equal(one, other);
  for (const [index, { offset, length }] of one.entries()) {
    assert.ok(offset >= index * 1_000_000 && offset + length <= (index + 1) * 1_000_000);
    assert.is(length, 16_384);
  }
  assert.equal(offer('one', 50_000).ranges, [{ offset: 0, length: 50_000 }], 'a small file is read whole');
});

test('after twenty wrong proofs an account gets no offers for ten minutes, and others do', async () => {
  const { files, offer, prove, wait } = open();
  for (let count = 0; count < 20; count += 1)
    assert.is(
      await errorOf(() => files.prove('one', offer().token, { proof: '0'.repeat(64) })),
      'ForbiddenError',
    );
  assert.is(await errorOf(() => offer()), 'TooManyRequestsError');
  await prove('other');
  wait(600);
  await prove();
});

test('the oldest offer of an account makes room for a new one', async () => {
  const { files, offer, prove } = open();
  const kept = await prove('other');
  const first = await prove();
  for (let count = 0; count < 1000; count += 1) offer();
  assert.is(files.find('one', first), null);
  assert.ok(files.find('other', kept));
});

test.run();
