import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord, InputDetails, JobRecord } from '../../src/shared/records.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { startHttpSource } from '../helpers/servers/http-source.js';

const test = daemonSuite('settings of deliveries and of the input', { allowPrivateNetwork: true });

const input = 'http://127.0.0.1:9/nothing.mp4';

async function post(daemon: TestDaemon, body: object): Promise<CreatedRecord & Partial<ErrorsRecord>> {
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input, ...body }),
  });
  return (await response.json()) as CreatedRecord & Partial<ErrorsRecord>;
}

const rejected: readonly (readonly [output: object, error: RegExp])[] = [
  [{ url: 'https://example.com/a.mp4' }, /^outputs\[0\]\.url must not be https: outputs need an S3/],
  [{ url: 'azure://account/container/a.mp4' }, /must not be azure: this storage is not supported/],
  [{ base_url: 'rtmp://host/app' }, /must not be rtmp: this service has no live streaming/],
  [{ url: 's3://key:secret@b/a.mp4', headers: { a: 'b\n' } }, /headers\.a must contain only visible ASCII/],
];

for (const [output, error] of rejected) {
  test(`${JSON.stringify(output)} is rejected`, async ({ daemon }) => {
    assert.match((await post(daemon, { outputs: [output], mock: true })).errors?.join() ?? '', error);
  });
}

test('web addresses of S3, regions and other names of Aspera are accepted', async ({ daemon }) => {
  for (const url of [
    's3+eu-west-1://key:secret@bucket/a.mp4',
    'https://key:secret@s3.amazonaws.com/bucket/a.mp4',
    'http://key:secret@bucket.s3-eu-west-1.amazonaws.com/a.mp4',
    'http://key:secret@bucket.s3.eu-west-1.amazonaws.com/a.mp4',
  ]) {
    assert.is((await post(daemon, { outputs: [{ url }], mock: true })).errors, undefined, url);
  }
  // The scheme is known; the program is not installed.
  const { errors } = await post(daemon, { input: 'aspera://u:p@host/a', mock: true });
  assert.match(errors?.join() ?? '', /needs the program ascp/);
});

const otherName = 'has no effect on the container: the file is mp4, but its name says otherwise';
const hosted = 'is used only if the daemon cannot host the file: the output has no url';
const write = 'has no effect here: WRITE has no meaning for an object';
const grant = { access_control: { grantee: 'someone', permission: ['READ', 'WRITE'] } };
const ftp = 'ftp://u:p@127.0.0.1';
const warned: readonly (readonly [output: object, warnings: readonly (readonly [string, string])[]])[] = [
  [{ url: `${ftp}/a.mp4`, secondary_url: `${ftp}/b.mp4` }, []],
  [{ url: `${ftp}/a.mp4`, secondary_url: `${ftp}/b.m4v` }, []],
  [{ url: `${ftp}/a.mp4`, secondary_url: `${ftp}/b` }, []],
  [{ url: `${ftp}/a.mp4`, secondary_url: `${ftp}/b.webm` }, [['secondary_url', otherName]]],
  [{ type: 'transfer-only', url: `${ftp}/a.mp4`, secondary_url: `${ftp}/b.webm` }, []],
  [
    { format: 'mp4', url: `${ftp}/a.webm`, secondary_url: `${ftp}/b.webm` },
    [
      ['url', otherName],
      ['secondary_url', otherName],
    ],
  ],
  [
    { secondary_url: `${ftp}/b.webm` },
    [
      ['secondary_url', otherName],
      ['secondary_url', hosted],
    ],
  ],
  [grant, [['access_control', write]]],
  [{ thumbnails: { number: 1, ...grant } }, [['thumbnails.access_control', write]]],
];

for (const [output, expected] of warned) {
  test(`${JSON.stringify(output)} has ${expected.length} warnings`, async ({ daemon }) => {
    const { errors, warnings = [] } = await post(daemon, { outputs: [output], mock: true });
    assert.is(errors, undefined, JSON.stringify(errors));
    assert.equal(
      warnings.map(({ field, message }) => [field.replace('outputs[0].', ''), message]),
      expected,
    );
  });
}

test('notifications that are never sent are warnings', async ({ daemon }) => {
  const { id, warnings = [] } = await post(daemon, {
    notifications: ['me@example.com', 'http://zencoderfetcher/x', 'http://127.0.0.1:9/done'],
    outputs: [{ notifications: { url: 'you@example.com' } }],
  });
  assert.equal(
    warnings.map(({ field }) => field),
    ['notifications[0]', 'notifications[1]', 'outputs[0].notifications'],
  );
  assert.match(warnings[0]?.message ?? '', 'is an e-mail address, and this daemon sends no mail');
  await daemon.waitForJob(Number(id));
});

test('labels are unique in any letter case', async ({ daemon }) => {
  const { errors } = await post(daemon, { outputs: [{ label: 'Web' }, { label: 'web' }] });
  assert.match(
    errors?.join() ?? '',
    /outputs\[1\]\.label must be unique, but outputs\[0\] has the same label/,
  );
});

test('rates of a transfer must not contradict each other', async ({ daemon }) => {
  const { errors } = await post(daemon, { transfer_minimum_rate: 5000, transfer_maximum_rate: 5000 });
  assert.equal(errors, ['transfer_minimum_rate must be below transfer_maximum_rate']);
});

test('an input with another MD5 than expected fails, and one with the expected MD5 does not', async ({
  daemon,
}) => {
  const source = await startHttpSource((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': 5 }).end('hello');
  });
  try {
    const jobOf = async (expected_md5_checksum: string): Promise<JobRecord> => {
      const created = await post(daemon, { input: source.url('/a.mp4'), expected_md5_checksum });
      return daemon.waitForJob(Number(created.id));
    };
    const wrong = await jobOf('0'.repeat(32));
    assert.is(wrong.input_media_file.error_class, 'ChecksumMismatchError');
    assert.match(wrong.input_media_file.error_message ?? '', '5d41402abc4b2a76b9719d911017c592');
    // The bytes are right, and no media.
    const right = await jobOf('5D41402ABC4B2A76B9719D911017C592');
    assert.is(right.input_media_file.error_class, 'NoMediaError');
  } finally {
    await source.close();
  }
});

test('an MD5 that is not 32 hexadecimal digits is rejected', async ({ daemon }) => {
  const { errors } = await post(daemon, { expected_md5_checksum: 'abc' });
  assert.equal(errors, ['expected_md5_checksum must be 32 hexadecimal digits']);
});

test('the URLs of a private job are not in the log, and its input is shown as private', async ({
  daemon,
}) => {
  const created = await post(daemon, { private: true, input: 'http://127.0.0.1:9/hidden.mp4' });
  const job = await daemon.waitForJob(Number(created.id));
  const details = await daemon.read<InputDetails>(`/v2/inputs/${job.input_media_file.id}`);
  assert.is(details.privacy, true);
  const lines = daemon.logLines.filter((line) => line.includes(`Job ${created.id}`));
  assert.ok(lines.some((line) => line.includes('a private input')));
  assert.not.match(lines.join(), /hidden|127\.0\.0\.1:9/);
});

test.run();
