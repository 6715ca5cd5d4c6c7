import { linesOf, type SourceFile, violation } from './source-file.js';

/** The maximum number of lines of a file. */
export const maxLineCount = 400;

/** Folders whose files may be long: tables of settings, and generated types. */
const longFolders = ['src/shared/settings/', 'src/api-types/'] as const;

/** Reports files that are too long. */
export function checkLength(files: readonly SourceFile[], maxLines: number): readonly string[] {
  return files.flatMap((file) => {
    const count = linesOf(file);
    if (count <= maxLines || longFolders.some((folder) => file.path.startsWith(folder))) return [];
    return [`${file.path}:${maxLines + 1}: has ${count} lines, more than ${maxLines}.`];
  });
}

/** An exported declaration, with its name. */
export const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const enum|const|let|var|function\*?|class|interface|type|enum|namespace)\s+([\w$]+|[{[][^=]*)/gm;

/** Reports every export without a docblock. Further overload signatures need none. */
export function checkDocblocks(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const seen = new Set<string>();
    return [...file.code.matchAll(declaration)].flatMap((match) => {
      const name = match[1] ?? '';
      // `export type { X } from` declares nothing: X has its docblock where it is declared.
      if (seen.has(name) || name.startsWith('{')) return [];
      seen.add(name);
      return endsInDocblock(file.text.slice(0, match.index))
        ? []
        : [violation(file, match.index, `${name} is exported without a docblock.`)];
    });
  });
}

function endsInDocblock(before: string): boolean {
  const end = before.trimEnd();
  return end.endsWith('*/') && end.startsWith('/**', end.lastIndexOf('/*'));
}

const defaultExport = /^export\s+default\b|\bas\s+default\s*[,}]/gm;

/** Reports default exports. An export has the same name everywhere. */
export function checkNamedExports(files: readonly SourceFile[]): readonly string[] {
  return violationsOf(files, defaultExport, 'exports are named, never default.');
}

const anyType =
  /(?:[:<|&]|=>|\b(?:as|extends|keyof|is|satisfies))\s*any\b|\bany\s*(?:\[\]|>)|^(?:export )?type [\w$<>, ]+ = any\b/gm;

/** Reports `any`. Input is `unknown` where it enters the program and is narrowed once. */
export function checkNoAny(files: readonly SourceFile[]): readonly string[] {
  return violationsOf(files, anyType, 'the type any is not allowed; use unknown and narrow it once.');
}

/** Reports comments that suppress compiler errors. */
export function checkNoSuppressions(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(/@ts-(?:ignore|expect-error|nocheck)\b/g)]
      .filter(({ index }) => file.bare[index] === ' ')
      .map(({ index }) => violation(file, index, 'compiler errors may not be suppressed.')),
  );
}

/** Reports `AbortSignal.timeout` in the daemon, not in browsers: Node 20 collects one that only `AbortSignal.any` refers to. */
export function checkTimeouts(files: readonly SourceFile[]): readonly string[] {
  const shipped = files.filter(({ path }) => /^daemon\/(?!web\/client\/)/.test(path));
  return violationsOf(
    shipped,
    /\bAbortSignal\s*\.\s*timeout\b/g,
    'a signal with a time comes from timeoutSignal.',
  );
}

function violationsOf(files: readonly SourceFile[], pattern: RegExp, sentence: string): readonly string[] {
  return files.flatMap((file) =>
    [...file.code.matchAll(pattern)].map(({ index }) => violation(file, index, sentence)),
  );
}
