import { Webhook } from 'standardwebhooks';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { client, rejection } from '../helpers/rest-client.js';

const secret = `whsec_${Buffer.from('a secret of an account, for tests').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of the account').toString('base64')}`;
const body = JSON.stringify({ job: { id: 7, state: 'finished' }, input: {}, outputs: [{ label: 'Größe' }] });

/** The headers of a notification that was signed by the reference implementation. */
function signed(signedBody = body, at = new Date(), withSecret = secret): Readonly<Record<string, string>> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(withSecret).sign('msg_1', at, signedBody),
  };
}

test('a signed notification is returned, from a Request, from Node.js and from bytes', async () => {
  const headers = signed();
  const forms = [
    new Request('http://h/', { method: 'POST', headers, body }),
    { headers, body },
    { headers: new Headers(headers), body: Buffer.from(body) },
    { headers: { 'Webhook-Id': ['msg_1'], ...headers }, body: new TextEncoder().encode(body).buffer },
  ];
  for (const form of forms) {
    const notification = await client.verifyNotification(form, secret);
    assert.is(notification.job.id, 7);
    assert.ok('outputs' in notification);
  }
});

test('one of several secrets and of several signatures is sufficient', async () => {
  const headers = signed(body, new Date(), other);
  const both = { ...headers, 'webhook-signature': `v2,abc v1,!!! ${headers['webhook-signature']}` };
  await client.verifyNotification({ headers: both, body }, [secret, other]);
  assert.is(
    (await rejection(client.verifyNotification({ headers: both, body }, secret))).name,
    'SignatureError',
  );
});

test('a changed body, an old time and a missing signature are rejected', async () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const rejected = [
    { headers: signed(), body: body.replace('7', '8') },
    { headers: { ...signed(), 'webhook-id': 'msg_2' }, body },
    { headers: signed(body, minutes(-6)), body },
    { headers: signed(body, minutes(6)), body },
    { headers: { ...signed(), 'webhook-timestamp': 'now' }, body },
    { headers: {}, body },
  ];
  for (const request of rejected) {
    const error = await rejection(client.verifyNotification(request, secret));
    assert.equal([error.name, error.code], ['SignatureError', 'invalid_signature']);
  }
  await client.verifyNotification({ headers: signed(body, minutes(-4)), body }, secret);
});

test('a parsed body, XML and no secret are wrong options', async () => {
  const parsed = { headers: signed(), body: JSON.parse(body) };
  assert.is((await rejection(client.verifyNotification(parsed, secret))).field, 'body');
  const xml = '<api-response/>';
  assert.is(
    (await rejection(client.verifyNotification({ headers: signed(xml), body: xml }, secret))).field,
    'body',
  );
  for (const missing of ['', []])
    assert.is(
      (await rejection(client.verifyNotification({ headers: signed(), body }, missing))).field,
      'secret',
    );
});

test.run();
