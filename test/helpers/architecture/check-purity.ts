import { importedPath, importsOf } from './imports.js';
import { complaint, type SourceFile } from './source-file.js';

/** Rooms that touch no file, network, process, clock or random number. */
export const pureRooms = ['src/api', 'daemon/jobs', 'daemon/plan', 'src/cli/print'] as const;

/** The modules that only work on what they are given. */
const pureModules: ReadonlySet<string> = new Set(['node:path', 'node:path/posix', 'node:util']);

const impure = [
  [/\bDate\s*\.\s*now\b/g, 'Date.now'],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\s(]))/g, 'new Date() without a time'],
  [/(?<!\bnew\s+)(?<![.\w])Date\s*\(/g, 'Date()'],
  [/\bperformance\s*\.\s*\w+/g, 'performance'],
  [/\bMath\s*\.\s*random\b/g, 'Math.random'],
  [/(?<!\.\s*)\bcrypto\s*\./g, 'crypto'],
  [/(?<!\.\s*)\bprocess\s*(?:\.|\?\.|\[)/g, 'process'],
  [/\bglobalThis\b/g, 'globalThis'],
  [/(?<!\.\s*)\bconsole\s*\./g, 'console'],
  [/(?<!\.\s*)\bfetch\s*\(/g, 'fetch'],
  [/(?<!\.\s*)\bset(?:Timeout|Interval|Immediate)\s*\(/g, 'a timer'],
] as const satisfies readonly (readonly [RegExp, string])[];

/** Complains about every import of a pure room that leads out of the house, but for modules that are pure themselves. */
export function checkPureImports(files: readonly SourceFile[], rooms: readonly string[]): readonly string[] {
  return inRooms(files, rooms).flatMap((file) =>
    importsOf(file).flatMap(({ index, specifier }) => {
      if (specifier !== null && (importedPath(file.path, specifier) !== null || pureModules.has(specifier)))
        return [];
      return [complaint(file, index, `a pure room may not import ${specifier ?? 'what is computed'}.`)];
    }),
  );
}

/** Complains about every word in a pure room that asks the world: the clock, chance, the process, the network. */
export function checkPureCode(files: readonly SourceFile[], rooms: readonly string[]): readonly string[] {
  return inRooms(files, rooms).flatMap((file) =>
    impure.flatMap(([pattern, name]) =>
      [...file.code.matchAll(pattern)].map(({ index }) =>
        complaint(file, index, `a pure room may not use ${name}: what it needs of the world is handed in.`),
      ),
    ),
  );
}

function inRooms(files: readonly SourceFile[], rooms: readonly string[]): readonly SourceFile[] {
  return files.filter(({ path }) => rooms.some((room) => path.startsWith(`${room}/`)));
}
