import { createFileTransport } from './file.js';
import type { FileShelf } from './file-shelf.js';
import { createGuard } from './guard.js';
import { createHostedTransport } from './hosted.js';
import { createHttpTransport } from './http.js';
import { registerTransports, type TransportRegistry } from './registry.js';
import { createUploadTransport } from './upload.js';

/** What the transports of a daemon, or of one `venc run`, are made with. */
export interface TransportOptions {
  readonly allowPrivateNetwork: boolean;
  /** Folders that `file:` URLs may lead into; none refuses that scheme. */
  readonly filesRoots: readonly string[];
  /** For a program that works on its own user's files: every file of the machine is open to it, and inputs are not copied. */
  readonly anywhere?: boolean;
  /** How long a transfer may stand still, in milliseconds. */
  readonly stallTimeoutMs: number;
  readonly hosted: FileShelf;
  readonly uploads: FileShelf;
}

/** All transports of this version by their schemes. A later scheme adds its line here. */
export function createTransports(options: TransportOptions): TransportRegistry {
  const { allowPrivateNetwork, stallTimeoutMs } = options;
  const guard = createGuard({ allowPrivateNetwork });
  return registerTransports([
    createHttpTransport({ guard, stallTimeoutMs }),
    createFileTransport(options.anywhere === true ? 'anywhere' : options.filesRoots),
    createUploadTransport(options.uploads),
    createHostedTransport(options.hosted),
  ]);
}
