import type { Transfer } from '../transfer/transfer.js';
import type { TransportRegistry } from './registry.js';
import type { Transport } from './transport.js';

/** Receives the bytes that a transfer has moved since the last call. */
type OnTransferredBytes = (direction: 'download' | 'upload', scheme: string, bytes: number) => void;

/** The same transports, which report the bytes that they transfer, those of transfers that fail included. */
export function observeTransports(
  registry: TransportRegistry,
  onBytes: OnTransferredBytes,
): TransportRegistry {
  return new Map([...registry].map(([scheme, transport]) => [scheme, observe(transport, scheme, onBytes)]));
}

function observe(transport: Transport, scheme: string, onBytes: OnTransferredBytes): Transport {
  const { download, upload, checkInput, checkOutput, remove, removeOrphan, sizeOf, open } = transport;
  return {
    schemes: transport.schemes,
    ...(checkInput === undefined ? {} : { checkInput: checkInput.bind(transport) }),
    ...(checkOutput === undefined ? {} : { checkOutput: checkOutput.bind(transport) }),
    ...(remove === undefined ? {} : { remove: remove.bind(transport) }),
    ...(removeOrphan === undefined ? {} : { removeOrphan: removeOrphan.bind(transport) }),
    ...(sizeOf === undefined ? {} : { sizeOf: sizeOf.bind(transport) }),
    ...(open === undefined ? {} : { open: open.bind(transport) }),
    ...(download === undefined
      ? {}
      : {
          download: (from, toPath, transfer) =>
            counted(
              transfer,
              (bytes) => onBytes('download', scheme, bytes),
              (one) => download.call(transport, from, toPath, one),
            ),
        }),
    ...(upload === undefined
      ? {}
      : {
          upload: (fromPath, to, transfer) =>
            counted(
              transfer,
              (bytes) => onBytes('upload', scheme, bytes),
              (one) => upload.call(transport, fromPath, to, one),
            ),
        }),
  };
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
