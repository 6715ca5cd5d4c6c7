import { complaint, type SourceFile } from './source-file.js';

/** The most lines that a file may have. */
export const greatestLineCount = 300;

/** Complains about files that are too long. Tables of settings may be long; logic may not. */
export function checkLength(files: readonly SourceFile[], greatest: number): readonly string[] {
  return files.flatMap((file) => {
    const count = file.text.replace(/\n$/, '').split('\n').length;
    if (count <= greatest || file.path.startsWith('src/api/settings/')) return [];
    return [`${file.path}:${greatest + 1}: has ${count} lines, more than ${greatest}.`];
  });
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const enum|const|let|var|function\*?|class|interface|type|enum|namespace)\s+([\w$]+|[{[][^=]*)/gm;

/** Complains about every export that is declared without a docblock. Later signatures of one function need none. */
export function checkDocblocks(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const seen = new Set<string>();
    return [...file.code.matchAll(declaration)].flatMap((match) => {
      const name = match[1] ?? '';
      // `export type { X } from` declares nothing: what it means has its docblock where it is made.
      if (seen.has(name) || name.startsWith('{')) return [];
      seen.add(name);
      return endsInDocblock(file.text.slice(0, match.index))
        ? []
        : [complaint(file, match.index, `${name} is exported without a docblock.`)];
    });
  });
}

function endsInDocblock(before: string): boolean {
  const end = before.trimEnd();
  return end.endsWith('*/') && end.startsWith('/**', end.lastIndexOf('/*'));
}

const defaultExport = /^export\s+default\b|\bas\s+default\s*[,}]/gm;

/** Complains about default exports: the name of a thing is the same everywhere. */
export function checkNamedExports(files: readonly SourceFile[]): readonly string[] {
  return said(files, defaultExport, 'exports are named, never default.');
}

const anyType =
  /(?:[:<|&]|=>|\b(?:as|extends|keyof|is|satisfies))\s*any\b|\bany\s*(?:\[\]|>)|^(?:export )?type [\w$<>, ]+ = any\b/gm;

/** Complains about `any`: at the door a thing is `unknown`, and narrowed once. */
export function checkNoAny(files: readonly SourceFile[]): readonly string[] {
  return said(files, anyType, 'any is not a type of this house; unknown is, and is narrowed once.');
}

/** Complains about comments that hush the compiler. */
export function checkNoHush(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(/@ts-(?:ignore|expect-error|nocheck)\b/g)]
      .filter(({ index }) => file.bare[index] === ' ')
      .map(({ index }) => complaint(file, index, 'the compiler may not be hushed.')),
  );
}

function said(files: readonly SourceFile[], pattern: RegExp, sentence: string): readonly string[] {
  return files.flatMap((file) =>
    [...file.code.matchAll(pattern)].map(({ index }) => complaint(file, index, sentence)),
  );
}
