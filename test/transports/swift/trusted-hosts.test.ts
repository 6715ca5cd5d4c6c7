import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trustedHosts } from '../../../daemon/transports/swift/token-cache.js';

test('an authentication URL in a private network may name another private host', () => {
  const auth = { host: 'auth.example.com', address: '10.0.0.7' };
  assert.equal(trustedHosts(auth, '10.0.0.8'), ['auth.example.com', '10.0.0.8']);
});

for (const address of ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '']) {
  test(`an authentication URL at "${address}" may not name a private host`, () => {
    const auth = { host: 'auth.example.com', address };
    assert.equal(trustedHosts(auth, '127.0.0.1'), ['auth.example.com']);
  });
}

test.run();
