import { languageCode } from '../../src/shared/text/languages.js';

/** The part of a caption file in one language. */
interface LanguagePart {
  /** A code of BCP 47; null if the file does not say. */
  readonly language: string | null;
  /** What names the part if its language is not known. */
  readonly name?: string;
}

/** At most this many languages are named in a warning. */
const maxNamed = 10;

/**
 * The part of a caption file in a language: the one with the same code, or else with the same language of another
 * region. If there is none, or no language was asked for, it is the first part; `warnings` names the languages if
 * another one than the wanted was chosen of several.
 */
export function chooseLanguage<T extends LanguagePart>(
  parts: readonly T[],
  wanted: string | undefined,
): { readonly chosen: T | undefined; readonly warnings: readonly string[] } {
  const [first] = parts;
  if (wanted === undefined) return { chosen: first, warnings: [] };
  const code = languageCode(wanted);
  const found =
    parts.find(({ language }) => language?.toLowerCase() === wanted.toLowerCase()) ??
    parts.find(({ language }) => code !== null && language !== null && languageCode(language) === code);
  if (found !== undefined) return { chosen: found, warnings: [] };
  const names = [...new Set(parts.map(nameOf))];
  if (first === undefined || names.length < 2) return { chosen: first, warnings: [] };
  const named = names.length > maxNamed ? [...names.slice(0, maxNamed), 'others'] : names;
  const warning = `The caption file has no captions in the language ${wanted}, only in ${listed(named)}: those in ${nameOf(first)} are used.`;
  return { chosen: first, warnings: [warning] };
}

function nameOf({ language, name = 'an unnamed language' }: LanguagePart): string {
  return (language ?? name).slice(0, 40);
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
