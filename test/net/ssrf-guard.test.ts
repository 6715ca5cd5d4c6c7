import type { LookupAddress } from 'node:dns';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard, type SsrfGuard, type SsrfGuardOptions } from '../../daemon/net/ssrf-guard.js';
import { isVencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

const guard = (options: Partial<SsrfGuardOptions> = {}): SsrfGuard =>
  createSsrfGuard({ allowPrivateNetwork: false, ...options });

const resolvingTo = (...addresses: readonly string[]): Pick<SsrfGuardOptions, 'lookup'> => ({
  lookup: (_host, _options, callback) => {
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    callback(null, found);
  },
});

const isForbidden = (error: unknown) => isVencError(error, 'ForbiddenAddressError');

const resolveWith = (by: SsrfGuard, host: string, all: boolean): Promise<unknown> =>
  new Promise((resolve, reject) => {
    by.lookup(host, { all }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });

test('a private address literal is rejected; a public one and a host name are accepted', () => {
  assert.throws(() => guard().checkHost('127.0.0.1'), isForbidden);
  assert.throws(() => guard().checkHost('[::ffff:10.1.2.3]'), isForbidden);
  guard().checkHost('8.8.8.8');
  guard().checkHost('localhost');
});

test('a private address literal is accepted if the private network is allowed', () => {
  guard({ allowPrivateNetwork: true }).checkHost('127.0.0.1');
});

for (const host of [
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '100.100.100.200',
  'metadata.google.internal',
  'Metadata.Google.Internal.',
]) {
  test(`${host} is rejected even if the private network is allowed, and the error says so`, () => {
    const check = () => guard({ allowPrivateNetwork: true, exemptHosts: [host] }).checkHost(host);
    assert.throws(check, isForbidden);
    assert.throws(check, /cloud metadata service, which is never allowed\.$/);
  });
}

test('an exempt host may be private, others may not', () => {
  const by = guard({ exemptHosts: ['127.0.0.1', 'Storage.internal'], ...resolvingTo('10.0.0.7') });
  by.checkHost('127.0.0.1');
  by.checkHost('2130706433');
  by.checkSocket('storage.internal', { remoteAddress: '10.0.0.7' });
  assert.throws(() => by.checkHost('127.0.0.2'), isForbidden);
  assert.throws(() => by.checkSocket('other.internal', { remoteAddress: '10.0.0.7' }), isForbidden);
});

test('only the permitted addresses of a name are returned', async () => {
  const by = guard(resolvingTo('10.0.0.1', '8.8.8.8', '::1', '8.8.4.4'));
  const allowed = [
    { address: '8.8.8.8', family: 4 },
    { address: '8.8.4.4', family: 4 },
  ];
  assert.equal(await resolveWith(by, 'mixed.example', true), allowed);
  assert.equal(await resolveWith(by, 'mixed.example', false), '8.8.8.8');
});

test('a name with only private addresses is rejected', async () => {
  for (const all of [true, false]) {
    const error = await resolveWith(
      guard(resolvingTo('192.168.0.1', 'fe80::1')),
      'inside.example',
      all,
    ).catch((e) => e);
    assert.ok(isForbidden(error));
  }
});

test('a name that resolves to a metadata address is rejected even if the private network is allowed', async () => {
  const by = guard({ allowPrivateNetwork: true, ...resolvingTo('169.254.169.254') });
  assert.ok(isForbidden(await resolveWith(by, 'sly.example', true).catch((e) => e)));
});

test('the address of the connected socket is checked, regardless of the lookup', () => {
  assert.throws(() => guard().checkSocket('rebound.example', { remoteAddress: '127.0.0.1' }), isForbidden);
  assert.throws(() => guard().checkSocket('closed.example', { remoteAddress: undefined }), isForbidden);
  guard().checkSocket('fine.example', { remoteAddress: '8.8.8.8' });
});

test('a name that cannot be resolved fails with the error of the system', async () => {
  const error = await resolveWith(guard(), 'nowhere.invalid', true).catch((e) => e);
  assert.ok(['ENOTFOUND', 'EAI_AGAIN'].includes(systemCode(error) ?? ''));
});

test('localhost is resolved by the system and rejected', async () => {
  assert.ok(isForbidden(await resolveWith(guard(), 'localhost', true).catch((e) => e)));
});

test.run();
