import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { ask, byScript, sameOrigin, signIn } from '../helpers/page-client.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('the page behind a proxy');
test.after(killDaemons);

const start = (...flags: readonly string[]) =>
  startDaemonProcess(join(tempFolder(), 'data'), ['--jobs', '0', ...flags]);

test('a trusted proxy names the account of the visitor, and any other client does not', async () => {
  const trusted = await start('--trust-proxy', '10.0.0.0/8, 127.0.0.1', '--ui-user-header', 'X-User');
  const owner = { 'X-User': 'default' };
  assert.match((await ask(trusted, '/ui/', { headers: owner })).text, '<span>default</span>');
  assert.is((await ask(trusted, '/ui/')).status, 401);
  const unknown = await ask(trusted, '/ui/', { headers: { 'X-User': 'nobody' } });
  assert.is(unknown.status, 403);
  assert.match(unknown.text, 'nobody');
  const pause = (headers: Readonly<Record<string, string>>) =>
    ask(trusted, '/ui/api/queue/pause', { method: 'PUT', headers });
  assert.is((await pause(owner)).status, 403);
  assert.is((await pause({ ...owner, ...byScript })).status, 200);
  const other = await start('--trust-proxy', '10.0.0.0/8,fd00::/8', '--ui-user-header', 'X-User');
  assert.is((await ask(other, '/ui/', { headers: owner })).status, 401);
});

test('failures of sign-in are counted by the address that a trusted proxy has seen', async () => {
  const daemon = await start('--trust-proxy', '127.0.0.0/8');
  const statusFor = async (address: string) =>
    (await signIn(daemon, 'wrong', { ...sameOrigin, 'X-Forwarded-For': address })).status;
  for (let count = 0; count < 5; count += 1)
    assert.is(await statusFor(`198.51.100.${count}, 203.0.113.1`), 401);
  assert.is(await statusFor('203.0.113.1'), 429);
  assert.is(await statusFor('203.0.113.2'), 401);
});

test('a Host header without the port of the public URL is that of the page, and no other origin writes', async () => {
  const daemon = await start('--public-url', 'https://encoder.example:8443/venc', '--ui-host', 'venc.lan');
  const from = (Host: string, Origin: string) => signIn(daemon, processKey, { Host, Origin });
  const origin = 'https://encoder.example:8443';
  for (const host of ['encoder.example:8443', 'encoder.example', 'ENCODER.example']) {
    const { status, headers } = await from(host, origin);
    assert.is(status, 303, host);
    assert.match(String(headers['set-cookie']), /^__Secure-venc_session=.*Path=\/venc\/ui;.*Secure/);
  }
  for (const other of ['https://encoder.example:9443', 'https://other.example', 'null'])
    assert.is((await from('encoder.example', other)).status, 403, other);
  assert.is((await from('other.example', origin)).status, 403);
  // Another program on a port of the same host is another origin: the flag says which one is the page.
  const { status, text } = await from('venc.lan', 'http://venc.lan:8080');
  assert.is(status, 403);
  assert.match(text, '--public-url http://venc.lan:8080');
});

test('flags that name no networks, or trust nobody, are rejected', async () => {
  for (const network of ['10.0.0.0/33', '::1/129', 'proxy.example', '10.0.0.0/8/8', '10.0.0.0/', '']) {
    const { code, stderr } = await runCli(['daemon', '--port', '0', '--trust-proxy', network]);
    assert.is(code, 2, network);
    assert.match(stderr, '--trust-proxy');
  }
  const { code, stderr } = await runCli(['daemon', '--port', '0', '--ui-user-header', 'X-User']);
  assert.is(code, 2);
  assert.match(stderr, '--ui-user-header needs --trust-proxy');
});

test.run();
