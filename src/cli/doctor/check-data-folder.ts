import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, messageOf, missingFinding, okFinding } from './finding.js';

/** Free bytes below which a film of usual length may not fit, and the daemon may take no jobs. */
const lowSpaceBytes = 1e9;

/** Whether the data folder can be written, and how much room is left there. Never rejects. */
export async function checkDataFolder(path: string) {
  const subject = 'data folder';
  try {
    const existing = await nearestExisting(path);
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is no folder`);
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
  const message = `${Math.floor(freeBytes / 1e6)} MB are free, and the daemon takes no jobs below its --min-free`;
  return {
    level: 'note',
    subject: 'free space',
    message,
    advice: 'make room, or choose another folder with --data',
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
