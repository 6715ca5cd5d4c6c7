import { constants } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { good, messageOf, missing } from './finding.js';

/** Whether the data folder can be written, and how much room is left there. Never rejects. */
export async function checkDataFolder(path: string) {
  const subject = 'data folder';
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK);
    const { bavail, bsize } = await statfs(path);
    const freeBytes = bavail * bsize;
    return { facts: { path, is_writable: true, free_bytes: freeBytes }, findings: [good(subject, path)] };
  } catch (error) {
    const advice = `give yourself write permission to ${dirname(path)}, or choose another folder with --data`;
    return {
      facts: { path, is_writable: false, free_bytes: null },
      findings: [missing(subject, `${path} cannot be written: ${messageOf(error)}`, advice)],
    };
  }
}
