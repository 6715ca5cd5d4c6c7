import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf } from '../../transfer/transfer-error.js';
import { connectTimeoutOf } from '../../transfer/with-retry.js';
import type { Transport } from '../transport.js';
import { missing } from './answers.js';
import { downloadFromSwift } from './download.js';
import { Logins } from './logins.js';
import { removeFromSwift, sweepSwift } from './remove.js';
import { standingAt } from './segments.js';
import { SwiftSession } from './session.js';
import type { SwiftOptions } from './swift-options.js';
import { readSwiftUrl } from './swift-url.js';
import { uploadToSwift } from './upload.js';

/**
 * Files in containers of OpenStack Swift, and of what was Cloud Files: `cf://user:apikey@container/object` (section 1; contract, section
 * 9), by v1 authentication at the address of the configuration. Grants are accepted and change nothing: only containers have them there.
 */
export function createSwiftTransport(options: SwiftOptions): Transport {
  const logins = new Logins(options.guardFor, connectTimeoutOf(options));
  const complaint = async (url: string): Promise<string | null> => {
    const place = readSwiftUrl(url, options.service);
    return typeof place === 'string' ? place : null;
  };
  const within = async <Result>(
    url: string,
    direction: Direction,
    work: (session: SwiftSession) => Promise<Result>,
  ): Promise<Result> => {
    const place = readSwiftUrl(url, options.service);
    if (typeof place === 'string') {
      const what = direction === 'download' ? 'The address of the input' : 'The destination';
      throw new VencError(classOf('failure', direction), `${what} ${place}.`);
    }
    const session = new SwiftSession(logins, place, direction, options);
    try {
      return await work(session);
    } finally {
      session.close();
    }
  };
  const never = () => new AbortController().signal;
  return {
    schemes: ['cf'],
    checkInput: complaint,
    checkOutput: complaint,
    download: (from, toPath, transfer) =>
      within(from, 'download', (session) => downloadFromSwift(session, toPath, transfer, options)),
    upload: (fromPath, to, transfer) =>
      within(to, 'upload', (session) => uploadToSwift(session, fromPath, to, transfer, options)),
    remove: (url) => within(url, 'upload', (session) => removeFromSwift(session, never())),
    sweep: (leftover) => within(leftover.url, 'upload', (session) => sweepSwift(session, leftover, never())),
    sizeOf: (from, signal) =>
      within(from, 'download', async (session) => {
        const standing = await standingAt(session, signal);
        if (standing !== null) return standing.sizeBytes;
        const { container, object, authUrl } = session.place;
        throw missing({ host: authUrl.host, container, object, direction: 'download' }).error;
      }),
  };
}
