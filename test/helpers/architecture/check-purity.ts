import { importedPath, importsOf } from './imports.js';
import { type SourceFile, violation } from './source-file.js';

/** Modules that use no file, network, process, clock or random number. */
export const pureModules = ['src/shared', 'daemon/jobs', 'daemon/plan', 'src/cli/output'] as const;

/** The general utilities that both sides share. Some of them, such as locks and atomic file writes, cannot be pure. */
const utilities = 'src/shared/util';

/** Modules of Node.js and packages that are pure. */
const purePackages: ReadonlySet<string> = new Set(['node:path', 'node:path/posix', 'node:util', 'saxes']);

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

/** Reports every import of a pure module from outside the codebase that is not pure. */
export function checkPureImports(
  files: readonly SourceFile[],
  modules: readonly string[],
): readonly string[] {
  return inModules(files, modules).flatMap((file) =>
    importsOf(file).flatMap(({ index, specifier }) => {
      if (specifier !== null && (importedPath(file.path, specifier) !== null || purePackages.has(specifier)))
        return [];
      return [violation(file, index, `a pure module may not import ${specifier ?? 'a computed name'}.`)];
    }),
  );
}

/** Reports every use of the clock, random numbers, the process or the network in a pure module. */
export function checkPureCode(files: readonly SourceFile[], modules: readonly string[]): readonly string[] {
  return inModules(files, modules).flatMap((file) =>
    impure.flatMap(([pattern, name]) =>
      [...file.code.matchAll(pattern)].map(({ index }) =>
        violation(file, index, `a pure module may not use ${name}; pass it as an argument.`),
      ),
    ),
  );
}

function inModules(files: readonly SourceFile[], modules: readonly string[]): readonly SourceFile[] {
  return files.filter(
    ({ path }) =>
      modules.some((module) => path.startsWith(`${module}/`)) && !path.startsWith(`${utilities}/`),
  );
}
