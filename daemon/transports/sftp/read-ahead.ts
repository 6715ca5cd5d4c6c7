import type { TakePieces } from '../file-server/file-server.js';
import type { Line } from './line.js';

/** What is handed on at once, at most: larger than an answer, since every piece costs its receiver something. */
const mostPieceBytes = 1 << 18;
/** 2 MiB under way hide the way there and back, and are all that is kept in memory. */
const piecesAhead = 8;

/** A piece on its way, into a buffer that is used again. */
interface Piece {
  readonly buffer: Buffer;
  readonly wantedBytes: number;
  readonly arrival: Promise<number>;
}

/**
 * Reads an open file from an offset to its end, many requests at once, and hands its bytes on in order. Where the file goes on behind
 * `sizeBytes`, a little more is handed on for the receiver to see, and no further.
 */
export async function readAhead(
  line: Line,
  handle: Buffer,
  range: { readonly fromByte: number; readonly sizeBytes: number },
  take: TakePieces,
): Promise<void> {
  const free: Buffer[] = [];
  const pieces: Piece[] = [];
  const { requestBytes } = line;
  const pieceBytes = Math.floor(mostPieceBytes / requestBytes) * requestBytes;
  let askedTo = range.fromByte;
  const ask = (leftBytes: number): void => {
    const buffer = free.pop() ?? Buffer.allocUnsafe(pieceBytes);
    const wantedBytes = Math.min(pieceBytes, Math.ceil(leftBytes / requestBytes) * requestBytes);
    const arrival = readPiece(line, handle, buffer, wantedBytes, askedTo);
    // Told when its turn comes; until then it is not unheard of.
    arrival.catch(() => undefined);
    pieces.push({ buffer, wantedBytes, arrival });
    askedTo += wantedBytes;
  };
  for (;;) {
    while (askedTo < range.sizeBytes && pieces.length < piecesAhead) ask(range.sizeBytes - askedTo);
    const isBehind = pieces.length === 0;
    if (isBehind) ask(1);
    const piece = pieces.shift();
    if (piece === undefined) return;
    const bytes = await piece.arrival;
    if (bytes > 0) await take([piece.buffer.subarray(0, bytes)]);
    free.push(piece.buffer);
    if (bytes < piece.wantedBytes || isBehind) return;
  }
}

/** Fills a buffer from an offset on; resolves to how much of it is filled: less than wanted at the end of the file only. */
async function readPiece(
  line: Line,
  handle: Buffer,
  buffer: Buffer,
  wantedBytes: number,
  startByte: number,
): Promise<number> {
  const { requestBytes } = line;
  const starts = Array.from({ length: wantedBytes / requestBytes }, (_, index) => index * requestBytes);
  const counts = await Promise.all(starts.map((at) => readFull(line, handle, buffer, at, startByte)));
  const short = counts.findIndex((count) => count < requestBytes);
  return short < 0 ? wantedBytes : short * requestBytes + (counts[short] ?? 0);
}

/** One request's worth, asked again for the rest where a server answers with less. */
async function readFull(
  line: Line,
  handle: Buffer,
  buffer: Buffer,
  at: number,
  startByte: number,
): Promise<number> {
  const { requestBytes } = line;
  let done = 0;
  while (done < requestBytes) {
    const count = await readOnce(line, handle, buffer, at + done, requestBytes - done, startByte + at + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function readOnce(
  line: Line,
  handle: Buffer,
  buffer: Buffer,
  at: number,
  bytes: number,
  position: number,
): Promise<number> {
  return line.ask((sftp, answer) => sftp.read(handle, buffer, at, bytes, position, answer));
}
