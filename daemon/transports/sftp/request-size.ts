import type { SFTPWrapper } from 'ssh2';

/** What every server takes and answers in one packet, with what a request says beside its bytes. */
const smallBytes = 31 << 10;
/** A quarter of the work for both sides. OpenSSH before 8.5 answers with half of it, and is asked for the rest. */
const largeBytes = 128 << 10;

/**
 * How much to ask a server for at once, or tell it: the library splits what is too much for one into requests that wait for each other. It
 * asks servers for their limits and keeps those to itself, so that they are looked up where it has them.
 */
export function requestBytesOf(sftp: SFTPWrapper): number {
  const limits: Readonly<Record<string, unknown>> = { ...sftp };
  const supportsLargeRequests = ['_maxReadLen', '_maxWriteLen'].every(
    (name) => Number(limits[name] ?? 0) >= largeBytes,
  );
  return supportsLargeRequests ? largeBytes : smallBytes;
}
