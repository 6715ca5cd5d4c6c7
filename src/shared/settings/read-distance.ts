import { sidePixels } from './limits.js';
import type { ScalarResult } from './parse-result.js';
import type { Distance, DistanceSetting } from './setting.js';

const distancePattern = /^(-)?((?:0|[1-9]\d*)(?:\.\d+)?)(%)?$/;

/**
 * Reads pixels (whole, up to 8192) or percent (up to 100), as a number or a text. Where the sign counts, a
 * minus means from the far edge, and `-0` is that edge itself. A width or a height is above 0.
 */
export function parseDistance(setting: DistanceSetting, value: unknown): ScalarResult<Distance> {
  const rule = setting.isSigned
    ? `must be pixels from -${sidePixels.max} to ${sidePixels.max}, or percent from -100% to 100%`
    : `must be pixels from 1 to ${sidePixels.max}, or percent above 0% and up to 100%`;
  const parts = distancePattern.exec(textOf(value));
  if (parts === null) return { rule };
  const amount = Number(parts[2]);
  const unit = parts[3] === undefined ? 'pixels' : 'percent';
  const isFromFarEdge = parts[1] !== undefined;
  const isInRange = unit === 'pixels' ? Number.isInteger(amount) && amount <= sidePixels.max : amount <= 100;
  const isSignValid = setting.isSigned || (!isFromFarEdge && amount > 0);
  return isInRange && isSignValid ? { value: { value: amount, unit, isFromFarEdge } } : { rule };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // String(-0) is "0", but who writes -0 in JSON means the far edge.
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'number' ? String(value) : '';
}
