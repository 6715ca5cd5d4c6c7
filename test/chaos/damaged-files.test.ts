import { once } from 'node:events';
import { cpSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addCredential } from '../../daemon/admin/credentials.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { openCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import type { JobRecord } from '../../src/shared/records.js';
import { openChaosSuite } from '../helpers/chaos/chaos-suite.js';
import { type DamageKind, damages, dataPlaces, foreignNames } from '../helpers/chaos/data-places.js';
import { killDaemons, processKey, spawnVenc, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite('a data folder with damaged, empty and foreign files');
const chaos = openChaosSuite('damaged-files');
const shortCount = 30;
const startLimitMs = 60_000;
const isRoot = process.getuid?.() === 0;
const counts = { cases: 0, started: 0, rejected: 0 };
const root = tempFolder();
const template = join(root, 'template');
/** The states of the jobs of the template, by id. */
const states = new Map<number, string>();
const names = { JOB: '', DONE: '', TOKEN: 'token', UPLOAD: '', ENTRY: '' };

test.before(async () => {
  if (isRoot) process.stdout.write('skipped: files without permission, because root may read every file\n');
  const daemon = await startDaemonProcess(template, ['--jobs', '0']);
  const headers = { 'Service-Api-Key': processKey };
  const ask = (path: string, method: string, body?: string) =>
    fetch(`${daemon.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  for (const state of ['waiting', 'waiting', 'cancelled', 'cancelled', 'removed']) {
    const response = await ask('/v2/jobs', 'POST', JSON.stringify({ input: 'http://127.0.0.1:9/film.mp4' }));
    const { id } = (await response.json()) as { id: string };
    if (state !== 'waiting') assert.is((await ask(`/v2/jobs/${id}/cancel`, 'PUT')).status, 204);
    if (state === 'removed') assert.is((await ask(`/v2/jobs/${id}`, 'DELETE')).status, 204);
    else states.set(Number(id), state);
  }
  const upload = await ask('/v2/uploads/a.mov', 'PUT', 'a film');
  names.UPLOAD = new URL(((await upload.json()) as { url: string }).url).host;
  await daemon.end('SIGTERM');
  const [job = 0] = idsIn('waiting');
  const [done = 0] = idsIn('cancelled');
  Object.assign(names, { JOB: String(job), DONE: String(done) });
  const credential = {
    name: 'c',
    scheme: 's3',
    account: 'default',
    isDefault: false,
    user: 'u',
    secret: 's',
  };
  await addCredential(openFolderSetup(template), credential);
  await openCleanupJournal(join(template, 'leftovers')).add({ url: 's3://none/a.mp4', name: 'an-upload' });
  names.ENTRY = (readdirSync(join(template, 'leftovers'))[0] ?? '').replace('.json', '');
});

test.after(() => {
  killDaemons();
  chaos.close(counts);
});

function idsIn(state: string): readonly number[] {
  return [...states].filter(([, one]) => one === state).map(([id]) => id);
}

/** Starts a daemon. Resolves to its URL, or to its exit code and what it wrote to stderr. */
async function start(folder: string) {
  const child = spawnVenc(['daemon', '--port', '0', '--data', folder, '--jobs', '0'], {
    VENC_API_KEY: processKey,
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  if (child.stdout === null) throw new TypeError('a daemon has a stdout');
  const timer = setTimeout(() => child.kill('SIGKILL'), startLimitMs);
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text));
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const url = await Promise.race([line, closed.then(() => null)]);
  clearTimeout(timer);
  return {
    url,
    log: () => log,
    code: () => closed,
    async end() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** The jobs that a damage of a place may take away: those whose record is in it. */
function jobsAt(place: string): readonly number[] {
  if (place === 'jobs') return [...states.keys()];
  if (place === 'jobs/active') return idsIn('waiting');
  if (place === 'jobs/done' || place === 'jobs/done/0') return idsIn('cancelled');
  const [, id] = /^jobs\/(?:active|done\/0)\/(\d+)\.json$/.exec(place) ?? [];
  return id === undefined ? [] : [Number(id)];
}

async function checkCase(place: string, kind: DamageKind): Promise<void> {
  counts.cases += 1;
  const folder = join(root, String(counts.cases));
  cpSync(template, folder, { recursive: true });
  const path = join(folder, place);
  damages[kind](path);
  const where = `${kind} at ${place}`;
  const daemon = await start(folder);
  if (daemon.url === null) {
    counts.rejected += 1;
    const code = await daemon.code();
    const log = daemon.log().replaceAll(/\s+/g, ' ');
    assert.ok(code === 2 || code === 6, `${where}: exit code ${code}, ${log}`);
    const isNamed = log.includes(path) || log.includes(folder);
    assert.ok(isNamed, `${where}: the message does not name the file: ${log}`);
    assert.match(log, /\b(restore|remove|move|choose|run|make|stop)\b/i, `${where}: no advice: ${log}`);
    return;
  }
  counts.started += 1;
  const response = await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': processKey } });
  assert.is(response.status, 200, `${where}: ${await response.clone().text()}`);
  const found = new Map(
    ((await response.json()) as { job: JobRecord }[]).map(({ job }) => [job.id, job.state]),
  );
  const excused = jobsAt(place);
  for (const [id, state] of states)
    if (!excused.includes(id)) assert.is(found.get(id), state, `${where}: job ${id} is lost`);
  for (const id of found.keys())
    assert.ok(states.has(id), `${where}: job ${id} was removed and is there again`);
  if (excused.length === 1) {
    const isQuarantined = readdirSync(join(folder, 'damaged')).length > 0;
    assert.ok(isQuarantined || kind === 'a link to nothing', `${where}: the record is not in quarantine`);
    assert.ok(daemon.log().includes(path) || kind === 'a link to nothing', `${where}: ${daemon.log()}`);
  }
  await daemon.end();
}

test('damage of one place loses no other job, and a daemon that rejects it says which file and what to do', async () => {
  const kinds = (Object.keys(damages) as DamageKind[]).filter(
    (kind) => !isRoot || kind !== 'a file without permission',
  );
  const places = dataPlaces.map((place) =>
    place.replaceAll(/[A-Z]+/g, (name) => names[name as keyof typeof names] ?? name),
  );
  const all = places.flatMap((place) => kinds.map((kind) => ({ place, kind })));
  // A pipe is the damage that can make a read wait for ever, and a huge file the one that can exhaust the memory.
  const always = all.filter(
    ({ place, kind }) =>
      (kind === 'a fifo' || kind === 'a huge file') &&
      /^(lock|jobs\/index|jobs\/active\/\d+\.json)$/.test(place),
  );
  const sample = [...always, ...chaos.choices.sample(all, shortCount)];
  const failures: string[] = [];
  for (const { place, kind } of chaos.isLong ? all : sample)
    await checkCase(place, kind).catch((error: Error) => failures.push(error.message));
  assert.equal(failures, []);
});

test('foreign files in every folder of the data folder change nothing', async () => {
  const folder = join(root, 'foreign');
  cpSync(template, folder, { recursive: true });
  const folders = ['', ...readdirSync(folder, { recursive: true }).map(String)].filter((name) =>
    lstatSync(join(folder, name)).isDirectory(),
  );
  for (const one of folders)
    for (const name of foreignNames) writeFileSync(join(folder, one, name), 'not ours');
  const daemon = await start(folder);
  assert.is.not(daemon.url, null, daemon.log());
  const response = await fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': processKey } });
  const found = ((await response.json()) as { job: JobRecord }[]).map(({ job }) => `${job.id} ${job.state}`);
  assert.equal(found.toSorted(), [...states].map(([id, state]) => `${id} ${state}`).toSorted());
  for (const one of ['', 'jobs', 'jobs/active', 'jobs/done'])
    for (const name of foreignNames.filter((foreign) => !/^\d+\.json$/.test(foreign)))
      assert.ok(readdirSync(join(folder, one)).includes(name), `${one}/${name} was deleted`);
  await daemon.end();
});

test.run();
