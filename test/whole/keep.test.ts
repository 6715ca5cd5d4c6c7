import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createAccount, setMode, setQuotas } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { CreatedRecord, ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { runCli } from '../cli/run-cli.js';
import { daemonSuite } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { media } from '../helpers/media.js';
import { pollUntil } from '../helpers/wait-until.js';

const test = daemonSuite('how long hosted outputs are kept');

const hourMs = 3_600_000;

test('keep decides until when a hosted output is there, and the 410 names the time', async ({ daemon }) => {
  const film = readFileSync(await media('clip.mp4'));
  const uploaded = await daemon.request('/v2/uploads/clip.mp4', { method: 'PUT', body: film });
  const { url: input } = (await uploaded.json()) as { url: string };
  const id = await daemon.create({ input, keep: '2d', outputs: [{ label: 'web', filename: 'web.mp4' }] });
  const job = await daemon.waitForJob(id);
  const [output] = job.output_media_files;
  const { expires_at: expiresAt = '', finished_at: finishedAt, url } = output ?? {};
  assert.is(job.state, 'finished');
  const keptMs = Date.parse(expiresAt) - Date.parse(finishedAt ?? '');
  assert.ok(keptMs <= 48 * hourMs && keptMs > 47 * hourMs, expiresAt);
  for (const ms of [job.waited_in_ms, job.encoded_in_ms, job.delivered_in_ms])
    assert.ok(ms !== undefined && ms >= 0 && ms < 60_000, JSON.stringify(job));
  const shown = await runCli(['show', String(id)], {
    env: { VENC_URL: daemon.url, VENC_API_KEY: daemon.key },
  });
  assert.match(shown.stdout, /^ +waited +[\d.]+s\n +encoded +[\d.]+s\n +delivered +[\d.]+s$/m);
  assert.match(shown.stdout, /^ +expires +in 47 h, \d{4}-\d\d-\d\d [\d:]+ UTC$/m);

  const file = join(daemon.dataFolder, 'hosted', new URL(url ?? '').pathname.replace('/hosted/', ''));
  const aged = (hours: number) => {
    const storedAt = new Date(Date.now() - hours * hourMs);
    utimesSync(file, storedAt, storedAt);
    return storedAt;
  };
  aged(47);
  assert.is((await fetch(url ?? '')).status, 200);
  const storedAt = aged(49);
  const expiry = new Date(storedAt.getTime() + 48 * hourMs).toISOString().slice(0, 16).replace('T', ' ');
  assert.ok(existsSync(file));
  assert.equal(await fetchRejection(url ?? '', {}, 410), [
    `This file was hosted for 2 days until ${expiry} UTC, and has been removed.`,
  ]);
});

test('minutes of a day and hosted bytes are limits of an account', async ({ daemon }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await createAccount(setup, 'studio');
  await setMode(setup, 'studio', { isIntegration: false });
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': key } });
  const film = readFileSync(await media('clip.mp4'));
  const uploaded = await send('/v2/uploads/clip.mp4', { method: 'PUT', body: film });
  const { url: input } = (await uploaded.json()) as { url: string };
  const body = JSON.stringify({ input });
  const created = await send('/v2/jobs', { method: 'POST', body });
  const { id } = (await created.json()) as CreatedRecord;
  const details = async () => ((await (await send(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  const job = await pollUntil(details, ({ state }) => isFinal(state));
  assert.is(job.state, 'finished');
  const bytes = job.output_media_files[0]?.file_size_bytes ?? 0;
  const errorOf = async () => {
    const response = await send('/v2/jobs', { method: 'POST', body });
    return response.status === 429 ? ((await response.json()) as ErrorsRecord).errors.join() : '';
  };
  // The jobs that are created until the daemon knows the limit host nothing.
  assert.is((await daemon.request('/v2/queue/pause', { method: 'PUT' })).status, 200);
  await setQuotas(setup, 'studio', { hostedBytes: bytes });
  const ofBytes = await pollUntil(errorOf, (error) => error !== '');
  assert.match(
    ofBytes,
    /^The account studio has reached its limit hosted_bytes: the hosted outputs have \S+ \S+, and the limit is /,
  );
  await send(`/v2/jobs/${id}`, { method: 'DELETE' });
  assert.is(await errorOf(), '', 'the files of a removed job do not count');
  // The shortest limit that the command takes is a minute; the store takes any.
  await setQuotas(setup, 'studio', { hostedBytes: null, minutesPerDay: 0.001 });
  const ofMinutes = await pollUntil(errorOf, (error) => error.includes('minutes_per_day'));
  assert.match(
    ofMinutes,
    /limit minutes_per_day: [\d.]+ minutes of output finished on \d{4}-\d\d-\d\d \(UTC\)/,
  );
  assert.is((await daemon.request('/v2/queue/resume', { method: 'PUT' })).status, 200);
});

test('keep beyond the limit of the daemon is an error that names both', async ({ daemon }) => {
  const errorsOf = (keep: unknown) =>
    fetchRejection(
      `${daemon.url}/v2/jobs`,
      {
        method: 'POST',
        headers: { 'Service-Api-Key': daemon.key },
        body: JSON.stringify({ input: 'http://127.0.0.1:9/film.mp4', keep }),
      },
      422,
    );
  for (const keep of ['8d', '169h', '10s', '0d'])
    assert.equal(await errorsOf(keep), [
      'keep must be from 60s to 168h, the limit of this daemon (--hosted-hours)',
    ]);
  for (const keep of ['soon', '7', '-1d', '99999999999d'])
    assert.match((await errorsOf(keep)).join(), /^keep must be a time such as 12h or 7d/);
});

test('keep has no effect for an output with a destination, and the answer says so', async ({ daemon }) => {
  const body = { input: 'http://127.0.0.1:9/film.mp4', keep: '2d', mock: true };
  const create = async (outputs: readonly object[]) => {
    const init = { method: 'POST', body: JSON.stringify({ ...body, outputs }) };
    return ((await (await daemon.request('/v2/jobs', init)).json()) as CreatedRecord).warnings ?? [];
  };
  const url = 'sftp://me:secret@127.0.0.1/film.mp4';
  assert.equal(
    (await create([{ url }])).map(({ field }) => field),
    ['keep'],
  );
  assert.equal(await create([{ url }, {}]), []);
});

test('without keep an output is there for 24 hours', async ({ daemon }) => {
  const id = await daemon.create({ input: 'http://127.0.0.1:9/film.mp4' });
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`);
  assert.match(job.output_media_files[0]?.url ?? '', /\/hosted\/([0-9a-f]{32})\/\1\.mp4$/);
});

test.run();
