import type { Transport } from '../../../daemon/transports/transport.js';
import type { DownloadErrorCases, ErrorCase, UploadErrorCases } from './common-error-cases.js';

/** What proves a transport's downloads. */
export interface DownloadSetup {
  /** Puts a file where the transport can get it. Resolves to its URL. */
  readonly offer: (name: string, bytes: Buffer) => Promise<string>;
  /** Those of every scheme: a row that is missing does not compile. */
  readonly common: DownloadErrorCases;
  /** Those of this one. */
  readonly errorCases: readonly ErrorCase[];
  /** Whether a file comes in one indivisible step, so that it cannot be stopped halfway. */
  readonly isOneStep?: boolean;
}

/** What proves a transport's uploads. */
export interface UploadSetup {
  /** The URL of a name at the destination. */
  readonly urlOf: (name: string) => string;
  /** The bytes under a name at the destination; null where nothing is. */
  readonly read: (name: string) => Promise<Buffer | null>;
  /** Everything that is at the destination, unfinished things and folders included. */
  readonly list: () => Promise<readonly string[]>;
  /** Those of every scheme: a row that is missing does not compile. */
  readonly common: UploadErrorCases;
  /** Those of this one. */
  readonly errorCases: readonly ErrorCase[];
  /** Whether names may hold folders. */
  readonly hasFolders?: boolean;
  /** Whether folders that were made for a file go with it when it is taken away again. */
  readonly clearsFolders?: boolean;
}

/** One transport on stage, with the other side of its transfers. */
export interface TransportHarness {
  readonly transport: Transport;
  /** The program on the other side with its version, for the table of what was proved: `vsftpd 3.0.3`. */
  readonly against?: string;
  readonly download?: DownloadSetup;
  readonly upload?: UploadSetup;
  readonly close?: () => Promise<void>;
}

/** The password in the URLs of troubles: it must never be told. */
export const secret = 'hunter2secret';

/** Names that have trapped somebody somewhere; the last one is as long as file systems allow, in letters of several bytes. */
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
