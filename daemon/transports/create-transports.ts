import type { FileShelf } from '../hosted-files/hosted-file-store.js';
import { createGuard } from '../net/ssrf-guard.js';
import type { LeftoverBook } from '../transfer/orphans.js';
import { createFaspTransport } from './fasp/fasp-transport.js';
import { createFileTransport } from './file/file-transport.js';
import { createFtpTransport } from './ftp/ftp-transport.js';
import { createHostedTransport } from './hosted/hosted-transport.js';
import { createHttpTransport } from './http/http-transport.js';
import { registerTransports, type TransportRegistry } from './registry.js';
import { createGcsTransport, createS3Transport, hostsOf } from './s3/s3-transport.js';
import type { Services, StorageService } from './services.js';
import { createSftpTransport } from './sftp/sftp-transport.js';
import { createSwiftTransport } from './swift/swift-transport.js';
import type { Transport } from './transport.js';
import { createUploadTransport } from './upload/upload-transport.js';

/** What the transports over networks are made with. */
export interface NetworkOptions {
  readonly allowPrivateNetwork: boolean;
  /** How long a transfer may stand still, in milliseconds. */
  readonly stallTimeoutMs: number;
  readonly services: Services;
  /** Where what lies unfinished at servers is noted. */
  readonly leftovers: LeftoverBook;
  /** Where the host keys of SFTP servers are remembered, one file for all of them. */
  readonly hostKeysPath: string;
}

/** What all transports of a daemon, or of one `venc run`, are made with. */
export interface TransportOptions extends NetworkOptions {
  /** Folders that `file:` URLs may lead into; none refuses that scheme. */
  readonly filesRoots: readonly string[];
  /** For a program that works on its own user's files: every file of the machine is open to it, and inputs are not copied. */
  readonly anywhere?: boolean;
  readonly hosted: FileShelf;
  readonly uploads: FileShelf;
}

/** All transports of this version by their schemes. */
export function createTransports(options: TransportOptions): TransportRegistry {
  return registerTransports([
    ...networkTransports(options),
    createFileTransport(options.anywhere === true ? 'anywhere' : options.filesRoots),
    createUploadTransport(options.uploads),
    createHostedTransport(options.hosted),
  ]);
}

/** The transports over networks. A later scheme adds its line here. */
export function networkTransports(options: NetworkOptions): readonly Transport[] {
  const guard = createGuard({ allowPrivateNetwork: options.allowPrivateNetwork });
  const remote = { guard, stallTimeoutMs: options.stallTimeoutMs, leftovers: options.leftovers };
  const { services, hostKeysPath } = options;
  const guardFor = (exemptHosts: readonly string[]) =>
    createGuard({ allowPrivateNetwork: options.allowPrivateNetwork, exemptHosts });
  const storage = (service: StorageService) => ({ ...remote, service, guard: guardFor(hostsOf(service)) });
  return [
    createHttpTransport(remote),
    createS3Transport(storage(services.s3)),
    createGcsTransport(storage(services.gcs)),
    createFaspTransport(remote),
    createFtpTransport(remote),
    createSwiftTransport({ ...remote, guardFor, service: services.swift }),
    createSftpTransport({ ...remote, key: services.sftp, hostKeysPath }),
  ];
}
