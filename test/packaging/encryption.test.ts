import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createKeys, decryptorOf, encryptorOf, keyOf } from '../../daemon/packaging/encryption.js';

const none = { key: null, keyUrl: null, urlPrefix: null, periodSegments: null, iv: null };
const zero = Buffer.alloc(16);
const keys = (settings: object, segments = 5) =>
  createKeys({ stem: 'a b', encryption: { ...none, ...settings } }, segments, {
    given: null,
    randomKey: () => zero,
  });

test('the address of a key is that of the request, or its name with the prefix', () => {
  const uri = (settings: object) => keyOf(keys(settings), 4).uri;
  assert.is(uri({}), 'a%20b.key');
  assert.is(uri({ keyUrl: 'skd://1' }), 'skd://1');
  assert.is(uri({ periodSegments: 2 }), 'a%20b-3.key');
  assert.is(uri({ urlPrefix: 'https://h/keys' }), 'https://h/keys/a%20b.key');
  assert.is(uri({ urlPrefix: 'https://h/keys/' }), 'https://h/keys/a%20b.key');
  assert.is(uri({ urlPrefix: 'https://h/keys?id=' }), 'https://h/keys?id=a%20b.key');
  assert.is(keys({ periodSegments: 2 }, 4).keys.length, 2);
});

test('the vector is the number of the segment unless one is given', () => {
  // AES-128 of the block 0...02 with the key 0: the first segment has number 0.
  const block = (settings: object, index: number) => {
    const cipher = encryptorOf(keys(settings), index);
    return Buffer.concat([cipher.update(zero), cipher.final()]);
  };
  assert.is(block({}, 0).toString('hex', 0, 16), '66e94bd4ef8a2c3b884cfa59ca342b2e');
  assert.equal(block({ iv: '00000000000000000000000000000003' }, 0), block({}, 3));
  assert.not.equal(block({}, 0), block({}, 1));
  const plain = decryptorOf(keys({}), 3);
  assert.equal(Buffer.concat([plain.update(block({}, 3)), plain.final()]), zero);
});

test.run();
