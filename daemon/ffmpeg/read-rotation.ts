import type { VideoFacts } from '../jobs/media.js';
import { numberAt, objectsAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';

/** How a picture stands in its file. */
export type RotationFacts = Pick<VideoFacts, 'rotationDegrees' | 'isMirrored'>;

/**
 * How a stream's picture is made upright. The display matrix says it all; ffprobe's `rotation`, which is computed from it, does not tell a
 * mirrored picture from a turned one. Builds before 5.0 print the tag `rotate` too, which turns clockwise, while `rotation` turns
 * counterclockwise. What is between two right angles counts as the nearer one.
 */
export function readRotation(stream: ProbeObject): RotationFacts {
  const sideData = objectsAt(stream, 'side_data_list');
  const matrix = sideData.map((data) => matrixOf(textAt(data, 'displaymatrix'))).find((one) => one !== null);
  if (matrix) return rotationOf(matrix);
  const [counterclockwise] = sideData.flatMap((data) => numberAt(data, 'rotation') ?? []);
  const degrees = counterclockwise === undefined ? Number(tagAt(stream, 'rotate') ?? 0) : -counterclockwise;
  return { rotationDegrees: nearestQuarterTurn(degrees) };
}

/** The part of a display matrix that turns and mirrors: a stored point (x, y) is shown at (a x + c y, b x + d y). */
interface Matrix {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** Reads the three rows of three numbers that ffprobe prints, each row after its number and a colon. */
function matrixOf(text: string | null): Matrix | null {
  const rows = [...(text ?? '').matchAll(/^\d{8}:\s+(-?\d+)\s+(-?\d+)\s+-?\d+\s*$/gm)];
  const [[a, b] = [], [c, d] = []] = rows.map(([, first, second]) => [Number(first), Number(second)]);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return null;
  return a * d === b * c ? null : { a, b, c, d };
}

/** A matrix that mirrors has a determinant below zero. What is left of it once left and right are exchanged only turns. */
function rotationOf({ a, b, c, d }: Matrix): RotationFacts {
  const isMirrored = a * d < b * c;
  const degrees = (Math.atan2(isMirrored ? -b : b, isMirrored ? -a : a) * 180) / Math.PI;
  return { rotationDegrees: nearestQuarterTurn(degrees), ...(isMirrored ? { isMirrored } : {}) };
}

function nearestQuarterTurn(degrees: number): VideoFacts['rotationDegrees'] {
  const turns = ((Math.round(degrees / 90) % 4) + 4) % 4 || 0;
  return ([0, 90, 180, 270] as const)[turns] ?? 0;
}
