import type { Transport } from '../../../daemon/transports/transport.js';
import type { DownloadErrorCases, ErrorCase, UploadErrorCases } from './common-error-cases.js';

/** The test environment of a transport's downloads. */
export interface DownloadSetup {
  /** Makes a file available to the transport. Resolves to its URL. */
  readonly offer: (name: string, bytes: Buffer) => Promise<string>;
  /** The errors of every scheme. A missing entry does not compile. */
  readonly common: DownloadErrorCases;
  /** The errors of this scheme only. */
  readonly errorCases: readonly ErrorCase[];
  /** Whether a file arrives in one indivisible step, so that it cannot be cancelled halfway. */
  readonly isOneStep?: boolean;
}

/** The test environment of a transport's uploads. */
export interface UploadSetup {
  /** The URL of a name at the destination. */
  readonly urlOf: (name: string) => string;
  /** The bytes under a name at the destination; null if nothing is there. */
  readonly read: (name: string) => Promise<Buffer | null>;
  /** Everything at the destination, including unfinished files and folders. */
  readonly list: () => Promise<readonly string[]>;
  /** The errors of every scheme. A missing entry does not compile. */
  readonly common: UploadErrorCases;
  /** The errors of this scheme only. */
  readonly errorCases: readonly ErrorCase[];
  /** Whether names may contain folders. */
  readonly hasFolders?: boolean;
  /** Whether removing a file also removes the folders that were created for it. */
  readonly clearsFolders?: boolean;
}

/** One transport under test, with its server. */
export interface TransportHarness {
  readonly transport: Transport;
  /** The server program with its version, for the table of results: `vsftpd 3.0.3`. */
  readonly against?: string;
  readonly download?: DownloadSetup;
  readonly upload?: UploadSetup;
  readonly close?: () => Promise<void>;
}

/** The password in the URLs of error cases. It must never appear in a message. */
export const secret = 'hunter2secret';

/** Names that are often handled wrongly. The last one is as long as file systems allow, in characters of several bytes. */
export const oddNames: readonly string[] = [
  'two words.mp4',
  '100% #1?.mp4',
  'a+b&c=d;e.mp4',
  'it\'s "quoted".mp4',
  'Grüße 映像 🎬.mp4',
  '%41%2F.mp4',
  '-rf.mp4',
  '.hidden.mp4',
  `${'ü'.repeat(125)}b.mp4`,
];
