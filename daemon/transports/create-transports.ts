import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import type { CleanupJournal } from '../transfer/cleanup-journal.js';
import type { OnRetry } from '../transfer/with-retry.js';
import { createFaspTransport } from './fasp/fasp-transport.js';
import { createFileTransport } from './file/file-transport.js';
import { createFtpTransport } from './ftp/ftp-transport.js';
import { createHostedTransport, createUploadTransport } from './hosted/hosted-transport.js';
import { createHttpTransport } from './http/http-transport.js';
import { registerTransports, type TransportRegistry } from './registry.js';
import { createGcsTransport, createS3Transport, hostsOf } from './s3/s3-transport.js';
import type { Services, StorageService } from './services.js';
import { createSftpTransport } from './sftp/sftp-transport.js';
import { createSwiftTransport } from './swift/swift-transport.js';
import type { Transport } from './transport.js';

/** Options of the network transports. */
interface NetworkOptions {
  readonly allowPrivateNetwork: boolean;
  /** How long a transfer may be idle, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Called before each retry of a transfer. */
  readonly onRetry?: OnRetry;
  readonly services: Services;
  /** Records unfinished uploads on servers. */
  readonly cleanupJournal: CleanupJournal;
  /** The known_hosts file for SFTP servers. */
  readonly hostKeysPath: string;
  /** Ends the cleanup at destinations. */
  readonly cleanupEnd?: AbortSignal;
}

/** Options of all transports of a daemon, or of one `venc run`. */
export interface TransportOptions extends NetworkOptions {
  /** Folders that `file:` URLs may name files in. If empty, the scheme is rejected. */
  readonly filesRoots: readonly string[];
  /**
   * For a program that works on the files of its own user: `file:` URLs may name any file, and inputs are not copied.
   */
  readonly allowsAnyPath?: boolean;
  /** Whether the MD5 of local files is computed, for the records of jobs, or only that of outputs. By default it is. */
  readonly hasMd5?: boolean | 'outputs';
  readonly hosted: HostedFileStore;
  readonly uploads: HostedFileStore;
}

/** Creates all transports, by scheme. */
export function createTransports(options: TransportOptions): TransportRegistry {
  return registerTransports([
    ...networkTransports(options),
    createFileTransport(options.allowsAnyPath === true ? 'anywhere' : options.filesRoots, {
      hasMd5: options.hasMd5 ?? true,
    }),
    createUploadTransport(options.uploads),
    createHostedTransport(options.hosted),
  ]);
}

/** Creates the network transports. Add new schemes here. */
export function networkTransports(options: NetworkOptions): readonly Transport[] {
  const guard = createSsrfGuard({ allowPrivateNetwork: options.allowPrivateNetwork });
  const remoteOptions = {
    guard,
    stallTimeoutMs: options.stallTimeoutMs,
    cleanupJournal: options.cleanupJournal,
    ...(options.onRetry === undefined ? {} : { onRetry: options.onRetry }),
    ...(options.cleanupEnd === undefined ? {} : { cleanupEnd: options.cleanupEnd }),
  };
  const { services, hostKeysPath } = options;
  const guardFor = (exemptHosts: readonly string[]) =>
    createSsrfGuard({ allowPrivateNetwork: options.allowPrivateNetwork, exemptHosts });
  const storageOptions = (service: StorageService) => ({
    ...remoteOptions,
    service,
    guard: guardFor(hostsOf(service)),
  });
  return [
    createHttpTransport(remoteOptions),
    createS3Transport(storageOptions(services.s3)),
    createGcsTransport(storageOptions(services.gcs)),
    createFaspTransport(remoteOptions),
    createFtpTransport(remoteOptions),
    createSwiftTransport({ ...remoteOptions, guardFor, service: services.swift }),
    createSftpTransport({ ...remoteOptions, key: services.sftp, hostKeysPath }),
  ];
}
