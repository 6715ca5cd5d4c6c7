import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './code-of.js';

/** A source file as the rules see it. The path is relative to the root and has forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without comments, at the same positions. */
  readonly bare: string;
  /** The text without comments and without the content of quotes, at the same positions. */
  readonly code: string;
}

const sourceName = /\.(ts|tsx|js|mjs)$/;

/** Parses a text into a `SourceFile`. */
function sourceFile(path: string, text: string): SourceFile {
  return { path, text, ...codeOf(text) };
}

/** Reads every source file below the given folders of `root`; missing folders are skipped. */
export function readSources(root: string, folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap((folder) => readFolder(root, folder));
}

function readFolder(root: string, folder: string): readonly SourceFile[] {
  // Fixtures break rules on purpose, and golden files are not sources.
  if (folder === 'test/fixtures' || folder === 'test/golden') return [];
  let entries: ReturnType<typeof entriesOf>;
  try {
    entries = entriesOf(join(root, folder));
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return readFolder(root, path);
    return sourceName.test(entry.name) ? [sourceFile(path, readFileSync(join(root, path), 'utf8'))] : [];
  });
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Number of lines of a file, without the one after the last line end. */
export function linesOf({ text }: SourceFile): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** The line number, from 1, of an index in a text. */
function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Formats a violation at an index of a file: `path:line: sentence`. */
export function violation(file: SourceFile, index: number, sentence: string): string {
  return `${file.path}:${lineAt(file.text, index)}: ${sentence}`;
}
