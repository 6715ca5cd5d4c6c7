import { posix } from 'node:path';
import type { SourceFile } from './source-file.js';

/** An import of a file in any syntax, including type imports. */
export interface Import {
  /** Its index in the text. */
  readonly index: number;
  /** The imported module; null if it is computed. */
  readonly specifier: string | null;
  /** Whether it is loaded only when the statement runs: `import(...)`. */
  readonly isLazy: boolean;
  /** Whether it is erased at compile time: `import type`, `export type ... from`. */
  readonly isOfTypes: boolean;
  /** The text between `import` and `from`. */
  readonly names: string;
}

const statement = /(?<![.\w$])(?:import|export)\b([^'"`;()=]*?\bfrom)?\s*(['"])([^'"\n]+)\2/g;
const call = /(?<![.\w$])(import|require|require\.resolve)\s*\(\s*(?:(['"])([^'"\n]+)\2|(?=\S))/g;

/** Every import and every `export ... from` of a file, in order of appearance. */
export function importsOf(file: SourceFile): readonly Import[] {
  const isCode = (match: RegExpMatchArray) => file.code[match.index ?? 0] !== ' ';
  const statements = [...file.bare.matchAll(statement)].filter(isCode).map((match) => ({
    index: match.index,
    specifier: match[3] ?? null,
    isLazy: false,
    isOfTypes: /^\s*type\b/.test(match[1] ?? ''),
    names: match[1] ?? '',
  }));
  const calls = [...file.bare.matchAll(call)].filter(isCode).map((match) => ({
    index: match.index,
    specifier: match[3] ?? null,
    isLazy: match[1] === 'import',
    isOfTypes: false,
    names: '',
  }));
  return [...statements, ...calls].sort((a, b) => a.index - b.index);
}

/**
 * The path of the source file that a relative import refers to, also for compiled names, paths below `dist/` and paths in the bundle of
 * `src/cli`.
 * null for packages and for modules of Node.js.
 */
export function importedPath(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = posix
    .join(posix.dirname(from), specifier)
    .replace(/^dist\/venc\//, 'src/cli/')
    .replace(/^dist\//, '');
  return path.replace(/\.js$/, '.ts');
}

/** The package or Node.js module (with `node:`) that an import refers to; null for a file of this codebase. */
export function importedPackage(specifier: string): string | null {
  if (specifier.startsWith('.')) return null;
  if (specifier.startsWith('node:')) return `node:${specifier.slice(5).split('/')[0]}`;
  const [first = '', second = ''] = specifier.split('/');
  if (specifier.startsWith('@')) return `${first}/${second}`;
  return nodeModules.has(first) ? `node:${first}` : first;
}

/** The modules of Node.js that a rule mentions and that may be imported without `node:`. */
const nodeModules: ReadonlySet<string> = new Set([
  'child_process',
  'crypto',
  'dns',
  'fs',
  'http',
  'https',
  'net',
  'os',
  'process',
  'tls',
]);
