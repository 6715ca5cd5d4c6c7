import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../daemon/jobs/job.js';
import type { CreatedRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  folder: string;
  program: string;
}

const test = suite<Context>('notifications by e-mail');

test.before.each((context) => {
  context.folder = tempFolder();
  context.program = join(context.folder, 'send mail');
  // Notes its arguments, its environment and its stdin; the first call for a mail to "later" fails.
  writeFileSync(
    context.program,
    `#!/bin/sh
n=$(ls "${context.folder}" | grep -c '^mail-')
cat > "${context.folder}/tmp-$n"
printf '%s\\n' "$@" > "${context.folder}/args-$n"
env > "${context.folder}/env-$n"
mv "${context.folder}/tmp-$n" "${context.folder}/mail-$n"
if [ "$n" = 0 ] && grep -q '^To: later@' "${context.folder}/mail-$n"; then exit 75; fi
`,
  );
  chmodSync(context.program, 0o755);
});
test.after(killDaemons);

const mailsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('mail-'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'));

async function post(daemon: DaemonProcess, body: object): Promise<CreatedRecord> {
  const headers = { 'Service-Api-Key': processKey };
  const response = await fetch(`${daemon.url}/v2/jobs`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  assert.is(response.status, 201);
  return (await response.json()) as CreatedRecord;
}

function textOf(mail: string): string {
  const [head = '', ...rest] = mail.split('\n\n');
  const text = rest.join('\n\n');
  return /^Content-Transfer-Encoding: base64$/m.test(head) ? Buffer.from(text, 'base64').toString() : text;
}

test('a job and an output are mailed once each, with nothing secret in the mail or its environment', async ({
  folder,
  program,
}) => {
  await makeMedia(join(folder, 'in.mov'), film('64x48', 1));
  const args = ['--sendmail', program, '--files-root', folder, '--jobs', '1'];
  const daemon = await startDaemonProcess(join(folder, 'data'), args, {
    AWS_SECRET_ACCESS_KEY: 'hunter2-env',
  });
  const { id, warnings } = await post(daemon, {
    input: `file://${join(folder, 'in.mov')}`,
    notifications: 'me+jobs@example.com',
    outputs: [
      { label: 'wéb\n.\nBcc: other@other.example', width: 32, notifications: { url: 'you@example.com' } },
      { label: 'lost', url: 'ftp://me:hunter2-url@127.0.0.1:9/a.mp4', width: 16 },
    ],
  });
  assert.is(warnings, undefined);
  await waitUntil('both mails are sent', () => mailsIn(folder).length === 2);
  const [ofOutput = '', ofJob = ''] = mailsIn(folder);
  assert.match(
    ofOutput,
    /^To: you@example\.com\nSubject: Output \d+ of job \d+: finished\nMessage-ID: <msg_\w+@venc\.invalid>\n/,
  );
  assert.not.match(ofOutput, /^Bcc:/m);
  assert.match(textOf(ofOutput), /^Output \d+ \(wéb \. Bcc: other@other\.example\): finished$/m);
  assert.match(ofJob, new RegExp(`^To: me\\+jobs@example\\.com\nSubject: Job ${id} has failed\n`));
  assert.match(textOf(ofJob), /^Output \d+ \(lost\): failed$/m);
  assert.match(textOf(ofJob), /^ {2}(Upload|Forbidden)\w+Error: /m);
  assert.is(readFileSync(join(folder, 'args-0'), 'utf8'), '-t\n-i\n');
  const environment = readFileSync(join(folder, 'env-0'), 'utf8');
  assert.not.match(environment + textOf(ofOutput) + textOf(ofJob), /hunter2|whsec_/);
  assert.not.match(environment, processKey);
  assert.match(environment, /^PATH=/m);
  for (const mail of [ofOutput, ofJob]) assert.ok(mail.split('\n').every((line) => line.length < 998));
  assert.is(await daemon.end('SIGTERM'), 0);
  assert.not.match(daemon.logged(), /@example\.com/);
});

test('a mail that the program rejects is sent again, and a restart keeps it', async ({ folder, program }) => {
  const data = join(folder, 'data');
  const daemon = await startDaemonProcess(data, ['--sendmail', program, '--jobs', '0']);
  const { id } = await post(daemon, {
    input: 'http://example.com/a.mov',
    notifications: 'later@example.com',
  });
  await fetch(`${daemon.url}/v2/jobs/${id}/cancel`, {
    method: 'PUT',
    headers: { 'Service-Api-Key': processKey },
  });
  await waitUntil('the first attempt has failed', () => /attempt 1 of 20/.test(daemon.logged()));
  assert.match(
    daemon.logged(),
    /to an e-mail address \(attempt 1 of 20, .*The mail program exited with code 75\./,
  );
  await daemon.end('SIGKILL');
  const next = await startDaemonProcess(data, ['--sendmail', program, '--jobs', '0']);
  await waitUntil('the second attempt was made', () => mailsIn(folder).length === 2);
  assert.equal(new Set(mailsIn(folder)).size, 1);
  const path = join(data, 'jobs', 'done', '0', `${id}.json`);
  await waitUntil('the notification is removed', () => {
    const { job } = JSON.parse(readFileSync(path, 'utf8')) as { readonly job: Job };
    return job.pendingNotifications.length === 0;
  });
  assert.is(await next.end('SIGTERM'), 0);
});

test('addresses that could name anything but one mailbox are a warning, and no mail is sent to them', async ({
  folder,
  program,
}) => {
  const daemon = await startDaemonProcess(join(folder, 'data'), ['--sendmail', program, '--jobs', '0']);
  const odd = [
    'a,b@example.com',
    '|id@example.com',
    '"me"@example.com',
    '<me@example.com>',
    'a%b@example.com',
    '-x@example.com',
  ];
  for (const notifications of odd) {
    const { id, warnings = [] } = await post(daemon, { input: 'http://example.com/a.mov', notifications });
    assert.equal(
      warnings.map(({ field, message }) => [field, message]),
      [['notifications', 'is an e-mail address with characters to which no mail is sent']],
      notifications,
    );
    await fetch(`${daemon.url}/v2/jobs/${id}/cancel`, {
      method: 'PUT',
      headers: { 'Service-Api-Key': processKey },
    });
  }
  assert.is(await daemon.end('SIGTERM'), 0);
  assert.equal(mailsIn(folder), []);
});

test('a program that does not exist, or whose path is not absolute, is a usage error', async ({ folder }) => {
  for (const [value, text] of [
    [join(folder, 'missing'), /--sendmail needs a program/],
    [folder, /--sendmail needs a program/],
    ['sendmail', /--sendmail takes the absolute path/],
  ] as const) {
    const { code, stderr } = await runCli(['daemon', '--sendmail', value, '--data', join(folder, 'unused')]);
    assert.is(code, 2, stderr);
    assert.match(stderr, text);
  }
  assert.not.ok(existsSync(join(folder, 'unused')));
});

test.run();
