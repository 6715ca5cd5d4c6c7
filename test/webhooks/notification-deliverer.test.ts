import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jobRecord } from '../../daemon/jobs/view.js';
import type { JobListener, JobStore } from '../../daemon/store/job-store.js';
import { VencError } from '../../src/shared/errors.js';
import type { JobNotificationBody, OutputNotificationBody } from '../../src/shared/records/notifications.js';
import { waitUntil } from '../helpers/wait-until.js';
import { finishing, noneIsPending, verified, withHarness } from './notification-harness.js';

const failure = { errorClass: 'TranscodingError', message: 'The encoder gave up on the file.' } as const;

test('each end is notified once, outputs before their job, with the final job, input and outputs', async () => {
  await withHarness(async (harness, endpoint) => {
    harness.open();
    const url = endpoint.url('/');
    const { id, outputs } = await harness.start([{ url }], [[{ url }], [{ url }], undefined]);
    const [first = 0, second = 0, third = 0] = outputs.map((output) => output.id);
    await harness.change(id, ...finishing(first), { type: 'output-failed', id: second, failure });
    await waitUntil('two outputs are notified', () => endpoint.received.length === 2);
    await harness.change(id, ...finishing(third));
    await waitUntil('the job is notified', () => noneIsPending(harness));
    const received = endpoint.received.map(verified) as readonly (JobNotificationBody &
      OutputNotificationBody)[];
    assert.equal(
      received.map(({ job, output, outputs: all }) => [
        job.id,
        output?.id ?? null,
        output?.state ?? job.state,
        all?.map((one) => one.state),
      ]),
      [
        [id, first, 'finished', undefined],
        [id, second, 'failed', undefined],
        [id, null, 'failed', ['finished', 'failed', 'finished']],
      ],
    );
    const [, ofSecond, ofJob] = received;
    assert.equal(
      [ofSecond?.output.error_class, ofSecond?.output.error_message],
      [failure.errorClass, failure.message],
    );
    const record = await harness.store.get(id);
    assert.ok(record !== null);
    const {
      input_media_file: input,
      output_media_files: files,
      thumbnails: _,
      ...others
    } = jobRecord(record);
    const { waited_in_ms: _waited, encoded_in_ms: _encoded, delivered_in_ms: _delivered, ...rest } = others;
    const { notification_attempts: attempts = [], ...head } = rest;
    assert.equal(
      attempts.map(({ event, output_id, status, error_message }) => [
        event,
        output_id,
        status,
        error_message,
      ]),
      [
        ['output_finished', first, 204, null],
        ['output_failed', second, 204, null],
        ['job_failed', null, 204, null],
      ],
    );
    assert.ok(attempts.every(({ destination }) => `${destination}/` === url));
    assert.equal(ofJob?.job, head);
    assert.equal(
      [ofJob?.input.id, ofJob?.input.job_id, ofJob?.input.url, ofJob?.input.format],
      [input.id, id, 'http://me@example.com/in.mp4', 'mpeg4'],
    );
    assert.equal(
      ofJob?.outputs.map(({ id: its, md5_checksum }) => [its, md5_checksum]),
      files.map(({ id: its, md5_checksum }) => [its, md5_checksum ?? null]),
    );
    assert.not(JSON.stringify(received).includes('hunter2'));
  });
});

test('a notification is JSON with its Content-Type, the requested headers and a current signature', async () => {
  await withHarness(async (harness, endpoint) => {
    harness.open();
    const headers = { 'X-Order': '12', Authorization: 'Bearer x' };
    const { id } = await harness.start([{ url: endpoint.url('/a?b=c', 'me:hunter2'), headers }], [undefined]);
    await harness.change(id, { type: 'cancelled' });
    await waitUntil('the job is notified', () => noneIsPending(harness));
    const [seen] = endpoint.received;
    assert.ok(seen !== undefined);
    assert.equal([seen.method, seen.path], ['POST', '/a?b=c']);
    assert.is(seen.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal([seen.headers['x-order'], seen.headers.authorization], ['12', 'Bearer x']);
    assert.match(String(seen.headers['webhook-id']), new RegExp(`^msg_[a-z0-9]+_${id}_job_0_0$`));
    assert.is(String(seen.headers['webhook-timestamp']).length, 10);
    verified(seen);
    assert.throws(() => verified({ ...seen, body: seen.body.replace('cancelled', 'finished') }));
    assert.throws(() => verified({ ...seen, headers: { ...seen.headers, 'webhook-id': 'another' } }));
  });
});

test('a notification in XML has the elements of the JSON and the same kind of signature', async () => {
  await withHarness(async (harness, endpoint) => {
    harness.open();
    const xml = [{ url: endpoint.url('/'), format: 'xml' }] as const;
    const { id, outputs } = await harness.start(xml, [xml]);
    const outputId = outputs[0]?.id ?? 0;
    await harness.change(id, ...finishing(outputId));
    await waitUntil('both are delivered', () => noneIsPending(harness));
    const [ofOutput = '', ofJob = ''] = endpoint.received.map(({ body }) => body);
    for (const seen of endpoint.received) {
      assert.is(seen.headers['content-type'], 'application/xml; charset=utf-8');
      // The verifier parses the body as JSON after it checks the signature.
      assert.throws(
        () => verified(seen),
        (error: unknown) => error instanceof SyntaxError,
      );
    }
    const head = `<api-response><job><id type="integer">${id}</id><state>finished</state><test type="boolean">false</test>`;
    assert.ok(ofJob.includes(head) && ofOutput.includes(head));
    assert.ok(ofOutput.includes(`<output><id type="integer">${outputId}</id>`));
    assert.ok(ofJob.includes(`<outputs type="array"><output><id type="integer">${outputId}</id>`));
    assert.ok(ofJob.includes('<pass_through nil="true"/>'));
  });
});

test('ends that happened without a deliverer are notified by the next one', async () => {
  await withHarness(async (harness, endpoint) => {
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { id } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
      ids.push(id);
      await harness.change(id, { type: 'cancelled' });
    }
    harness.open();
    await waitUntil('all are delivered', () => noneIsPending(harness));
    const received = endpoint.received.map(verified) as readonly JobNotificationBody[];
    assert.equal(received.map(({ job }) => job.id).sort(), ids);
  });
});

test('a resubmit withdraws pending notifications, and kept outputs are not notified again', async () => {
  let isOpen = false;
  let open = (): void => {};
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const url = endpoint.url('/');
      const { id, outputs } = await harness.start([{ url }], [[{ url }], [{ url }]]);
      const [first = 0, second = 0] = outputs.map((output) => output.id);
      await harness.change(id, ...finishing(first), { type: 'output-failed', id: second, failure });
      await waitUntil('the first is in flight', () => endpoint.received.length === 1);
      await harness.change(id, { type: 'resubmitted' });
      isOpen = true;
      open();
      await waitUntil('the first is delivered', () => noneIsPending(harness));
      await harness.change(id, { type: 'claimed', token: 'next' }, { type: 'cancelled' });
      await waitUntil('all are delivered', () => noneIsPending(harness));
      const received = endpoint.received.map(verified) as readonly (JobNotificationBody &
        OutputNotificationBody)[];
      assert.equal(
        received.map(({ job, output }) => [output?.id ?? null, output?.state ?? job.state]),
        [
          [first, 'finished'],
          [second, 'cancelled'],
          [null, 'cancelled'],
        ],
      );
    },
    (response) => {
      if (isOpen) response.end();
      else open = () => response.end();
    },
  );
});

test('the log contains only the host of a URL, and none of the headers', async () => {
  await withHarness(
    async (harness, endpoint) => {
      harness.open();
      const url = endpoint.url('/hunter2/hunter2?hunter2=hunter2', 'me:hunter2');
      const headers = { hunter2: 'hunter2', Authorization: 'hunter2' };
      const { id } = await harness.start([{ url, headers }], [undefined]);
      await harness.change(id, { type: 'cancelled' });
      await waitUntil('it is delivered', () => noneIsPending(harness));
      assert.is(harness.logLines.length, 2);
      assert.not(harness.logLines.join().includes('hunter2'));
    },
    (response, _, count) => response.writeHead(count === 1 ? 500 : 200).end('hunter2'),
  );
});

test('a notification is sent if another process stored it and the earlier state of the job is not known', async () => {
  await withHarness(async (harness, endpoint) => {
    const { store } = harness;
    const { id, outputs } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
    let report: JobListener = () => undefined;
    // The changes of another process are not reported to this store.
    const watch = (listener: JobListener) => {
      report = listener;
      return () => undefined;
    };
    harness.open({ store: { ...bound(store), watch } });
    await harness.change(id, ...finishing(outputs[0]?.id ?? 0));
    const job = await store.get(id);
    assert.ok(job !== null);
    report(job, job);
    report(job, job);
    await waitUntil('the job is notified', () => noneIsPending(harness));
    assert.is(endpoint.received.length, 1);
  });
});

test('earlier notifications are sent once the database is available again', async () => {
  await withHarness(async (harness, endpoint) => {
    const { id, outputs } = await harness.start([{ url: endpoint.url('/') }], [undefined]);
    await harness.change(id, ...finishing(outputs[0]?.id ?? 0));
    let failures = 0;
    const listWithNotifications = () => {
      failures += 1;
      if (failures === 1) throw new VencError('UnavailableError', 'The database is not available.');
      return harness.store.listWithNotifications();
    };
    harness.open({ store: { ...bound(harness.store), listWithNotifications } });
    await waitUntil('the job is notified', () => noneIsPending(harness));
    assert.is(endpoint.received.length, 1);
    assert.match(harness.logLines.join('\n'), /cannot be resumed yet/);
  });
});

function bound(store: JobStore): Pick<JobStore, 'get' | 'update' | 'watch' | 'listWithNotifications'> {
  return {
    get: (id) => store.get(id),
    update: (id, change) => store.update(id, change),
    watch: (listener) => store.watch(listener),
    listWithNotifications: () => store.listWithNotifications(),
  };
}

test.run();
