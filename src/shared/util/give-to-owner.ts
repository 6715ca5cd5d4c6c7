import { chown, stat } from 'node:fs/promises';

/**
 * Gives a new file to the user whose folder it lies in. Only root can do so and only root needs to: a file of 0600 that
 * `sudo venc keys create` left as root's would be closed to the daemon of that user. Where even root may not (disks of
 * other machines), the file stays as it is.
 */
export async function chownToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await chown(path, uid, gid).catch(() => undefined);
}
