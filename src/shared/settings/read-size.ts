import type { ScalarResult } from './parse-result.js';
import type { Size, SizeSetting } from './setting.js';

/** Reads `WIDTHxHEIGHT` in pixels. */
export function parseSize(setting: SizeSetting, value: unknown): ScalarResult<Size> {
  const { min, max } = setting;
  const parts = typeof value === 'string' ? /^([1-9]\d*)x([1-9]\d*)$/i.exec(value) : null;
  const size = { width: Number(parts?.[1]), height: Number(parts?.[2]) };
  const isInRange = [size.width, size.height].every((side) => side >= min && side <= max);
  return isInRange
    ? { value: size }
    : { rule: `must be WIDTHxHEIGHT, such as 640x480, with sides from ${min} to ${max}` };
}
