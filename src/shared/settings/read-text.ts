import { maxPathPartBytes } from './limits.js';
import type { Plain } from './reading.js';
import type { ChoiceSetting, TextSetting } from './setting.js';

// Control characters but for tabs and line ends, and halves of characters: XML and UTF-8 cannot hold them.
const unfitForText = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const unfitForNames = /[\p{Cc}\p{Cs}]/u;

/** Reads a text: never empty unless the table allows it, and fit to be answered as JSON and XML. */
export function readText(setting: TextSetting, value: unknown): Plain<string> {
  if (typeof value !== 'string') return { rule: 'must be a text' };
  if (value === '' && !setting.mayBeEmpty) return { rule: 'must not be empty' };
  if (hasMoreCharacters(value, setting.maxLength)) {
    return { rule: `must have at most ${setting.maxLength} characters` };
  }
  if (unfitForText.test(value)) return { rule: 'must not hold control characters or halves of characters' };
  const broken = setting.isPath ? brokenPathRule(value) : undefined;
  return broken === undefined ? { value } : { rule: broken };
}

/** Reads one of a few words. The value is as the table spells it. */
export function readChoice(setting: ChoiceSetting, value: unknown): Plain<string> {
  const fold = (word: string): string => (setting.anyCase ? word.toLowerCase() : word);
  const found = setting.choices.find((choice) => typeof value === 'string' && fold(choice) === fold(value));
  return found === undefined ? { rule: `must be one of ${setting.choices.join(', ')}` } : { value: found };
}

/** Whether a text has control characters (line ends among them) or halves of characters, which no name may have. */
export function isUnfitForNames(text: string): boolean {
  return unfitForNames.test(text);
}

/** Whether a text has more characters than so many; characters outside the basic plane count once. */
export function hasMoreCharacters(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** Length of a text in bytes of UTF-8, which is how file systems count. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function brokenPathRule(path: string): string | undefined {
  const parts = path.split('/');
  if (isUnfitForNames(path)) return 'must not hold control characters';
  if (path.startsWith('/')) return 'must be a relative path';
  if (parts.includes('')) return 'must not have an empty part between slashes or at its end';
  if (parts.includes('..') || parts.includes('.')) return 'must not have "." or ".." as a part of the path';
  return parts.some((part) => byteLength(part) > maxPathPartBytes)
    ? `must have at most ${maxPathPartBytes} bytes in each part of the path`
    : undefined;
}
