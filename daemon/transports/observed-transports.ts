import type { Transfer } from '../transfer/transfer.js';
import { type TransportRegistry, wrapTransport } from './registry.js';
import type { Transport } from './transport.js';

/** Receives the bytes that a transfer has moved since the last call. */
type OnTransferredBytes = (direction: 'download' | 'upload', scheme: string, bytes: number) => void;

/** The same transports, which report the bytes that they transfer, those of transfers that fail included. */
export function observeTransports(
  registry: TransportRegistry,
  onBytes: OnTransferredBytes,
): TransportRegistry {
  const observe = (scheme: string, transport: Transport) =>
    wrapTransport(transport, {
      download: (download) => (from, toPath, transfer) =>
        counted(
          transfer,
          (bytes) => onBytes('download', scheme, bytes),
          (one) => download(from, toPath, one),
        ),
      upload: (upload) => (fromPath, to, transfer) =>
        counted(
          transfer,
          (bytes) => onBytes('upload', scheme, bytes),
          (one) => upload(fromPath, to, one),
        ),
    });
  return new Map([...registry].map(([scheme, transport]) => [scheme, observe(scheme, transport)]));
}

/** Counts the bytes of a transfer from its progress, and the rest from its result. */
async function counted<T extends { readonly sizeBytes: number }>(
  transfer: Transfer,
  onBytes: (bytes: number) => void,
  start: (transfer: Transfer) => Promise<T>,
): Promise<T> {
  let countedBytes = 0;
  const count = (doneBytes: number) => {
    if (doneBytes <= countedBytes) return;
    onBytes(doneBytes - countedBytes);
    countedBytes = doneBytes;
  };
  const result = await start({
    ...transfer,
    onProgress: (doneBytes, totalBytes) => {
      count(doneBytes);
      transfer.onProgress(doneBytes, totalBytes);
    },
  });
  count(result.sizeBytes);
  return result;
}
