import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/** A film, and a data folder for daemons that start one after the other. */
export interface CrashFixture {
  readonly folder: string;
  readonly data: string;
  readonly input: string;
  /** Starts a daemon that encodes one job at a time. */
  readonly start: () => Promise<DaemonProcess>;
}

/** Makes a film of three seconds. */
export async function setUpCrash(): Promise<CrashFixture> {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('640x360', 3));
  const data = join(folder, 'data');
  const start = () => startDaemonProcess(data, ['--files-root', folder, '--jobs', '1']);
  return { folder, data, input: `file://${join(folder, 'in.mp4')}`, start };
}

/** Sends a request. */
export function ask(daemon: DaemonProcess, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey } });
}

/** Creates a job and returns its id. */
export async function create(daemon: DaemonProcess, body: unknown): Promise<string> {
  const response = await ask(daemon, '/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 201);
  return ((await response.json()) as { id: string }).id;
}

/** The progress of a job. */
export async function progress(daemon: DaemonProcess, id: string): Promise<JobProgressRecord> {
  return (await (await ask(daemon, `/v2/jobs/${id}/progress`)).json()) as JobProgressRecord;
}

/** The details of a job. */
export async function details(daemon: DaemonProcess, id: string): Promise<JobRecord> {
  return ((await (await ask(daemon, `/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
}

/** Processes whose working directory is below a folder. */
export async function workingIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const workingDirectories = await Promise.all(
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')),
  );
  return pids.filter((_, index) => workingDirectories[index]?.startsWith(folder));
}
