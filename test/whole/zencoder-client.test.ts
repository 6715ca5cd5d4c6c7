import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AllReport, CreatedRecord, JobRecord, VodReport } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil } from '../helpers/wait-until.js';

/*
 * The npm package "zencoder" from the registry. Programs written for the hosted service only need to change the base URL.
 */

interface Answer<T> {
  readonly data: T;
  readonly response: { readonly statusCode: number };
}
type Ask<T, Arguments extends readonly unknown[]> = (...args: Arguments) => Promise<Answer<T>>;
type Records = Readonly<Record<string, unknown>>;

interface ZencoderClient {
  readonly Job: {
    create: Ask<CreatedRecord, [body: object]>;
    details: Ask<{ job: JobRecord }, [id: number | string]>;
    list: Ask<readonly { job: JobRecord }[], [params?: object]>;
    progress: Ask<{ state: string; progress: number }, [id: number | string]>;
    cancel: Ask<undefined, [id: number | string]>;
    resubmit: Ask<undefined, [id: number | string]>;
    finish: Ask<unknown, [id: number | string]>;
  };
  readonly Input: Readonly<Record<'details' | 'progress', Ask<Records, [id: number]>>>;
  readonly Output: Readonly<Record<'details' | 'progress', Ask<Records, [id: number]>>>;
  readonly Report: {
    all: Ask<AllReport, [params?: object]>;
    vod: Ask<VodReport, [params?: object]>;
    minutes: Ask<VodReport, [params?: object]>;
    live: Ask<Records, [params?: object]>;
  };
  readonly Account: Readonly<Record<'details' | 'integration' | 'live', Ask<unknown, []>>>;
}

const zencoder = createRequire(import.meta.url)('zencoder') as (
  key: string,
  baseUrl: string,
) => ZencoderClient;

interface Context {
  daemon: TestDaemon;
  client: ZencoderClient;
  folder: string;
}

const test = suite<Context>('the zencoder package');

test.before(async (context) => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'clip.mp4'), film('160x120', 1));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  // The package binds the client to prototypes that all of its clients share.
  Object.assign(context, { folder, daemon, client: zencoder(daemon.key, `${daemon.url}/api/v2`) });
});
test.after(({ daemon }) => daemon.stop());

const rejectionOf = async (
  asking: Promise<unknown>,
): Promise<{ code: number; errors: readonly string[] }> => {
  try {
    await asking;
  } catch (error) {
    return error as { code: number; errors: readonly string[] };
  }
  throw new Error('the request was not rejected');
};

test('the zencoder package passes warnings on, and works without reading them', async ({
  client,
  folder,
}) => {
  const input = `file://${join(folder, 'clip.mp4')}`;
  const { data } = await client.Job.create({ input, outputs: [{ widht: 64, skip_audio: true }], mock: true });
  assert.equal(data.warnings, [
    { field: 'outputs[0].widht', message: 'is not known and was ignored; did you mean width?' },
  ]);
  const { data: accepted } = await client.Job.create({ input, outputs: [{ skip_audio: true }], mock: true });
  assert.not.ok('warnings' in accepted);
});

test('the zencoder package creates a job, follows it and reads all of its records', async ({
  client,
  folder,
}) => {
  const request = {
    input: `file://${join(folder, 'clip.mp4')}`,
    outputs: [
      { label: 'web', width: '64' },
      { label: 'audio', filename: 'a.mp3' },
    ],
    pass_through: 'mine',
  };
  const { data: created, response } = await client.Job.create(request);
  assert.is(response.statusCode, 201);
  assert.type(created.id, 'string');
  const id = Number(created.id);
  const outputId = created.outputs[0]?.id ?? 0;

  await pollUntil(
    async () => (await client.Job.progress(id)).data,
    ({ state, progress }) => state === 'finished' && progress === 100,
  );
  const { job } = (await client.Job.details(id)).data;
  assert.is(job.state, 'finished');
  assert.is(job.pass_through, 'mine');
  assert.equal(
    job.output_media_files.map(({ label }) => label),
    ['web', 'audio'],
  );
  const input = (await client.Input.details(job.input_media_file.id)).data;
  assert.equal([input.job_id, input.width, input.channels], [id, 160, '2']);
  const output = (await client.Output.details(outputId)).data;
  assert.equal([output.label, output.width, output.state], ['web', 64, 'finished']);
  assert.is((await client.Input.progress(job.input_media_file.id)).data.progress, 100);
  assert.is((await client.Output.progress(outputId)).data.state, 'finished');
  const listed = (await client.Job.list({ per_page: 1, page: 1 })).data;
  assert.equal(
    listed.map((entry) => entry.job.id),
    [id],
  );
});

test('the zencoder package cancels and resubmits jobs, and gets 409 if the state does not allow it', async ({
  client,
  daemon,
}) => {
  const id = await daemon.create({ input: `${daemon.url}/nothing.mp4` });
  await daemon.waitForJob(id);
  assert.is((await rejectionOf(client.Job.cancel(id))).code, 409);
  assert.is((await client.Job.resubmit(id)).response.statusCode, 204);
  await daemon.waitForJob(id);
  const finished = (await client.Job.list()).data.find(({ job }) => job.state === 'finished');
  assert.is((await rejectionOf(client.Job.resubmit(finished?.job.id ?? 0))).code, 409);
});

test('the zencoder package reads the reports', async ({ client }) => {
  const today = new Date().toISOString().slice(0, 10);
  const { data: all } = await client.Report.all({ from: today, to: today });
  assert.is(all.statistics.vod[0]?.collected_on, today);
  assert.ok(all.total.vod.encoded_minutes > 0);
  assert.is(all.total.live.total_hours, 0);
  const { data: vod } = await client.Report.vod({ from: today, to: today });
  assert.equal((await client.Report.minutes({ from: today, to: today })).data, vod);
  assert.equal(vod.total, all.total.vod);
  assert.is((await client.Report.live()).response.statusCode, 200);
});

test('the zencoder package gets rejections with messages', async ({ client, daemon }) => {
  const { code, errors } = await rejectionOf(
    client.Job.create({ input: 'nonsense', outputs: [{ speed: 9 }] }),
  );
  assert.is(code, 422);
  assert.is(errors.length, 2);
  assert.is((await rejectionOf(client.Job.details(999_999))).code, 404);
  const unauthorizedClient = zencoder('a-wrong-key', `${daemon.url}/api/v2`);
  const { code: status } = await rejectionOf(unauthorizedClient.Job.list());
  assert.is(status, 401);
  // Creating a client replaces the shared one, so this restores it.
  zencoder(daemon.key, `${daemon.url}/api/v2`);
});

test('the zencoder package gets 404 with a message for calls that the service document lacks', async ({
  client,
  daemon,
}) => {
  const id = await daemon.create({ input: `${daemon.url}/nothing.mp4` });
  for (const ask of [
    () => client.Account.details(),
    () => client.Account.integration(),
    () => client.Account.live(),
    () => client.Job.finish(id),
  ]) {
    const { code, errors } = await rejectionOf(ask());
    assert.is(code, 404);
    assert.type(errors[0], 'string');
  }
});

test.run();
