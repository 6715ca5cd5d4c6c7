import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { knownHostName, knownKeysIn } from '../../../daemon/transports/sftp/host-keys.js';

const hashed = (name: string): string => {
  const salt = Buffer.from('twenty bytes of salt');
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
};

const known: readonly [line: string, name: string, isKnown: boolean][] = [
  ['example.com ssh-rsa AAAA', 'example.com', true],
  ['Example.COM ssh-rsa AAAA a comment', 'example.com', true],
  ['a.example,example.com\tssh-rsa\tAAAA', 'example.com', true],
  ['*.example.com ssh-rsa AAAA', 'files.example.com', true],
  ['*.example.com ssh-rsa AAAA', 'example.com', false],
  ['*.example.com,!secret.example.com ssh-rsa AAAA', 'secret.example.com', false],
  ['file?.example.com ssh-rsa AAAA', 'file1.example.com', true],
  ['file?.example.com ssh-rsa AAAA', 'file12.example.com', false],
  ['[example.com]:2222 ssh-rsa AAAA', '[example.com]:2222', true],
  ['[example.com]:2222 ssh-rsa AAAA', 'example.com', false],
  ['example.com ssh-rsa AAAA', '[example.com]:2222', false],
  ['[*]:2222 ssh-rsa AAAA', '[example.com]:2222', true],
  ['exampleXcom ssh-rsa AAAA', 'example.com', false],
  [`${hashed('example.com')} ssh-rsa AAAA`, 'example.com', true],
  [`${hashed('[example.com]:2222')} ssh-rsa AAAA`, '[example.com]:2222', true],
  [`${hashed('other.example')} ssh-rsa AAAA`, 'example.com', false],
  ['|1|nonsense ssh-rsa AAAA', 'example.com', false],
  ['@cert-authority *.example.com ssh-rsa AAAA', 'files.example.com', false],
  ['@unknown example.com ssh-rsa AAAA', 'example.com', false],
  ['# example.com ssh-rsa AAAA', 'example.com', false],
  ['example.com ssh-rsa', 'example.com', false],
  ['', 'example.com', false],
];

for (const [line, name, isKnown] of known) {
  test(`"${line.slice(0, 50)}" ${isKnown ? 'knows' : 'does not know'} ${name}`, () => {
    assert.is(knownKeysIn(line, 'file', name).length, isKnown ? 1 : 0);
  });
}

test('line numbers match those of an editor, and revoked keys are reported', () => {
  const text = '# first\n\nexample.com ssh-rsa AAAA\r\n@revoked example.com ssh-ed25519 BBBB\n';
  assert.equal(knownKeysIn(text, 'file', 'example.com'), [
    { path: 'file', line: 3, kind: 'ssh-rsa', key: 'AAAA', isRevoked: false },
    { path: 'file', line: 4, kind: 'ssh-ed25519', key: 'BBBB', isRevoked: true },
  ]);
});

test('the default port is not written', () => {
  assert.is(knownHostName('Example.com', 22), 'example.com');
  assert.is(knownHostName('::1', 2222), '[::1]:2222');
});

test.run();
