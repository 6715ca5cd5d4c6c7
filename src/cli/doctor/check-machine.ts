import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact } from '../../shared/redact.js';
import { formatBytes } from '../../shared/text/numbers.js';

/** The result of one check. `missing`: something required is absent; `note`: for information only. */
export interface Finding {
  readonly level: 'good' | 'note' | 'missing';
  readonly subject: string;
  readonly message: string;
  /** What to do about it; null if there is nothing to do. */
  readonly advice: string | null;
}

/** A finding about something required that is absent. */
export function missingFinding(subject: string, message: string, advice: string | null): Finding {
  return { level: 'missing', subject, message, advice };
}

/** A finding about something that is in order. */
export function okFinding(subject: string, message: string): Finding {
  return { level: 'good', subject, message, advice: null };
}

/** The message of an error, with secrets redacted. */
export function messageOf(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}

/** Free bytes below which a film of usual length may not fit and the daemon may accept no jobs. */
const lowSpaceBytes = 1e9;

/** Checks whether the data folder is writable and how much space is free. Never rejects. */
export async function checkDataFolder(path: string) {
  const subject = 'data folder';
  try {
    const existing = await nearestExisting(path);
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is not a folder`);
    await access(existing, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(existing);
    const freeBytes = bavail * bsize;
    const findings: readonly Finding[] = [
      okFinding(subject, path),
      ...(freeBytes >= lowSpaceBytes ? [] : [lowSpaceFinding(freeBytes)]),
    ];
    return { facts: { path, is_writable: true, free_bytes: freeBytes }, findings };
  } catch (error) {
    const advice = `give this user write permission to ${dirname(path)}, or choose another folder with --data or VENC_DATA`;
    return {
      facts: { path, is_writable: false, free_bytes: null },
      findings: [missingFinding(subject, `${path} cannot be written: ${messageOf(error)}`, advice)],
    };
  }
}

function lowSpaceFinding(freeBytes: number): Finding {
  const message = `${formatBytes(freeBytes)} are free, and the daemon accepts no jobs below its --min-free`;
  return {
    level: 'note',
    subject: 'free space',
    message,
    advice: 'free some space, or choose another folder with --data',
  };
}

/** The folder, or its nearest existing parent: a check must not create it. */
async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  return exists || parent === path ? path : nearestExisting(parent);
}

/** The minimum version of Node, as in package.json. */
const minVersion = [20, 18, 1] as const;

/** Whether Node is new enough. `version` is `process.version`. */
export function checkNode(version: string): Finding {
  const found = version.replace(/^v/, '').split('.').map(Number);
  const difference =
    minVersion.map((part, index) => (found[index] ?? 0) - part).find((each) => each !== 0) ?? 0;
  if (difference >= 0) return okFinding('node', version);
  return missingFinding(
    'node',
    `${version} is older than ${minVersion.join('.')}`,
    'install Node 20.18.1 or newer',
  );
}
