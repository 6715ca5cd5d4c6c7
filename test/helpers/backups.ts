import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { type CliResult, runCli } from '../cli/run-cli.js';
import type { TestDaemon } from './daemon.js';

/** Runs `venc backup` or `venc restore` on a data folder. */
export function venc(command: 'backup' | 'restore', folder: string, data: string): Promise<CliResult> {
  return runCli([command, folder, '--data', data]);
}

/** The result of a command that must end with 0. */
export async function succeeded(running: Promise<CliResult>): Promise<CliResult> {
  const result = await running;
  assert.is(result.code, 0, result.stderr);
  return result;
}

/** Uploads a file. Resolves to the URL that jobs name. */
export async function upload(daemon: TestDaemon, path: string, name = 'film.mp4'): Promise<string> {
  const response = await daemon.request(`/v2/uploads/${name}`, {
    method: 'PUT',
    body: await readFile(path),
  });
  assert.is(response.status, 201);
  return ((await response.json()) as { url: string }).url;
}
