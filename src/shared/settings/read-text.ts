import { maxPathPartBytes } from './limits.js';
import type { ScalarResult } from './parse-result.js';
import type { ChoiceSetting, TextSetting } from './setting.js';

// Control characters but for tabs and line ends, and halves of characters: XML and UTF-8 cannot hold them.
const invalidInText = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const invalidInNames = /[\p{Cc}\p{Cs}]/u;

/** Reads a text: never empty unless the table allows it, and fit to be answered as JSON and XML. */
export function parseText(setting: TextSetting, value: unknown): ScalarResult<string> {
  if (typeof value !== 'string') return { rule: 'must be a text' };
  if (value === '' && !setting.mayBeEmpty) return { rule: 'must not be empty' };
  if (isLongerThan(value, setting.maxLength)) {
    return { rule: `must have at most ${setting.maxLength} characters` };
  }
  if (invalidInText.test(value)) return { rule: 'must not hold control characters or halves of characters' };
  const violation = setting.isPath ? findPathViolation(value) : undefined;
  return violation === undefined ? { value } : { rule: violation };
}

/** Reads one of a few words. The value is as the table spells it. */
export function parseChoice(setting: ChoiceSetting, value: unknown): ScalarResult<string> {
  const fold = (word: string): string => (setting.isCaseInsensitive ? word.toLowerCase() : word);
  const found = setting.choices.find((choice) => typeof value === 'string' && fold(choice) === fold(value));
  return found === undefined ? { rule: `must be one of ${setting.choices.join(', ')}` } : { value: found };
}

/** Whether a text has control characters (line ends among them) or halves of characters, which no name may have. */
export function isInvalidName(text: string): boolean {
  return invalidInNames.test(text);
}

/** Whether a text has more characters than so many; characters outside the basic plane count once. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** Length of a text in bytes of UTF-8, which is how file systems count. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function findPathViolation(path: string): string | undefined {
  const parts = path.split('/');
  if (isInvalidName(path)) return 'must not hold control characters';
  if (path.startsWith('/')) return 'must be a relative path';
  if (parts.includes('')) return 'must not have an empty part between slashes or at its end';
  if (parts.includes('..') || parts.includes('.')) return 'must not have "." or ".." as a part of the path';
  return parts.some((part) => byteLength(part) > maxPathPartBytes)
    ? `must have at most ${maxPathPartBytes} bytes in each part of the path`
    : undefined;
}
