import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fileRefUrl } from '../../daemon/hosted-files/file-ref.js';
import { noCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import { createTransports, type TransportOptions } from '../../daemon/transports/create-transports.js';
import { transportFor } from '../../daemon/transports/registry.js';
import { servicesFrom } from '../../daemon/transports/services.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';
import { tempFolder } from '../helpers/temp.js';

const root = tempFolder();
mkdirSync(join(root, 'folder'));
writeFileSync(join(root, 'film.mp4'), 'film');
symlinkSync('/etc', join(root, 'way-out'));

let now = new Date('2026-01-01T00:00:00Z');
const uploads = createHostedFilesHarness({ now: () => now }).store;
const registry = (options: Partial<TransportOptions> = {}) =>
  createTransports({
    allowPrivateNetwork: false,
    filesRoots: [root],
    stallTimeoutMs: 1000,
    hosted: createHostedFilesHarness().store,
    uploads,
    services: servicesFrom({}),
    cleanupJournal: noCleanupJournal,
    hostKeysPath: join(root, 'known_hosts'),
    ...options,
  });
const checkInput = (url: string, options?: Partial<TransportOptions>) =>
  transportFor(registry(options), url).checkInput?.(url, 'default');
const checkOutput = (url: string, options?: Partial<TransportOptions>) =>
  transportFor(registry(options), url).checkOutput?.(url, 'default');

const below = 'must name a file below one of the --files-root folders';

const inputs: readonly (readonly [url: string, message: RegExp | null])[] = [
  ['http://example.com/a.mp4', null],
  ['HTTPS://user:p%40ss@example.com:8443/a b.mp4?x=1#t', null],
  ['http://[2001:db8::1]:80/a', null],
  ['http://127.0.0.1/a', null],
  ['http:///a/b.mp4', /must name a host/],
  ['http:example.com', /must name a host/],
  ['http://user:pass@/a', /must name a host/],
  ['http://:80/a', /must name a host/],
  ['http://example.com:0/', /port from 1 to 65535/],
  ['http://example.com:65536/', /port from 1 to 65535/],
  ['http://example.com:abc/', /port from 1 to 65535/],
  ['http://exa mple.com/', /valid URL/],
  ['http://[::1/a', /valid URL/],
  [`file://${root}/film.mp4`, null],
  [`file:${root}/film.mp4`, null],
  [`file://localhost${root}/film.mp4`, null],
  [`file://${root}/comes-later.mp4`, null],
  [`file://${root}/folder`, /regular file/],
  [`file://${root}/folder/`, /not a folder/],
  [`file://${root}/a?b.mp4`, /%3F/],
  [`file://${root}/a#b.mp4`, /%23/],
  [`file://${root}/a%2Fb.mp4`, /encoded slash/],
  [`file://${root}/a%00b.mp4`, /NUL/],
  [`file://${root}/100%.mp4`, /%25/],
  [`file://other-host${root}/film.mp4`, /without a host/],
  ['file:film.mp4', /absolute path/],
  ['file:///', /not a folder/],
  ['file:///etc/passwd', new RegExp(below)],
  ['file:///no/such/file', new RegExp(below)],
  [`file://${root}/way-out/passwd`, new RegExp(below)],
  [`file://${root}/way-out/no-such-file`, new RegExp(below)],
  [`file://${root}/../x`, new RegExp(below)],
  [`file://${root}/%2e%2e/x`, new RegExp(below)],
  [`file://${root}-next/x`, new RegExp(below)],
  ['upload://token', /URL that the daemon returned for an upload/],
  ['upload://token/a/b', /URL that the daemon returned for an upload/],
  ['upload://to.ken/a', /URL that the daemon returned for an upload/],
  ['upload://token/%zz', /URL that the daemon returned for an upload/],
  ['upload://token/a.mp4', /not name an upload of this account/],
];

for (const [url, validationError] of inputs) {
  test(`as an input ${url.replace(root, 'ROOT')} ${validationError === null ? 'is valid' : `is a validation error: ${validationError.source}`}`, async () => {
    const inputError = await checkInput(url);
    if (validationError === null) assert.is(inputError, null);
    else assert.match(String(inputError), validationError);
  });
}

test('a destination may be new, in new folders, or an existing file, but no folder', async () => {
  assert.is(await checkOutput(`file://${root}/new/deep/a.mp4`), null);
  assert.is(await checkOutput(`file://${root}/film.mp4`), null);
  assert.match(String(await checkOutput(`file://${root}/folder`)), /regular file/);
  assert.is(await checkOutput(`file://${root}/way-out/a.mp4`), below);
  assert.is(await checkOutput(`file://${root}`), below);
  assert.is(await checkOutput('file:///tmp/elsewhere.mp4'), below);
});

test('without a root file: is rejected, and the error says how to allow it', async () => {
  const none = { filesRoots: [] };
  assert.match(String(await checkInput(`file://${root}/film.mp4`, none)), /--files-root/);
  assert.match(String(await checkOutput(`file://${root}/film.mp4`, none)), /--files-root/);
});

test('a program may use all files of its own user', async () => {
  assert.is(await checkInput('file:///etc/passwd', { filesRoots: [], allowsAnyPath: true }), null);
});

test('an upload is valid for its own account, for 24 hours', async () => {
  const { signal } = new AbortController();
  const ref = await uploads.receive(Readable.from([Buffer.from('film')]), 'film.mp4', 'default', signal);
  const url = fileRefUrl('upload', ref);
  const { checkInput: check } = transportFor(registry(), url);
  const storedAt = (await uploads.find(ref)).state === 'there' ? Date.now() : 0;
  now = new Date(storedAt + 86_000_000);
  assert.is(await check?.(url, 'default'), null);
  assert.match(String(await check?.(url, 'another')), /not name an upload of this account/);
  now = new Date(storedAt + 87_000_000);
  assert.match(String(await check?.(url, 'default')), /24 hours ago/);
});

test('an unknown scheme is reported without the password in its URL', () => {
  assert.throws(() => transportFor(registry(), 'gopher://me:hunter2@host/'), /gopher:\/\/me:\*\*\*@host/);
});

test.run();
