import { importsOf } from './imports.js';
import { type SourceFile, violation } from './source-file.js';

/**
 * Reports tests that uvu would silently skip: suites that are never run, test files without a suite, and suites in files
 * that are neither tests nor test helpers.
 */
export function checkTestsRun(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith('test/'))
    .flatMap((file) => [...unrunSuites(file), ...missingSuite(file)]);
}

function unrunSuites(file: SourceFile): readonly string[] {
  return suitesOf(file)
    .filter(({ name }) => !new RegExp(`(?<![.\\w$])${name}\\s*\\.\\s*run\\s*\\(`).test(file.code))
    .map(({ name, index }) =>
      violation(file, index, `${name}.run() is missing; without it the tests never run.`),
    );
}

function missingSuite(file: SourceFile): readonly string[] {
  const isTest = /\.test\.tsx?$/.test(file.path);
  const hasSuite = suitesOf(file).length > 0;
  if (!isTest && hasSuite && !/^test\/(contracts|helpers)\//.test(file.path)) {
    return [`${file.path}:1: contains tests, but its name does not end in .test.ts, so they never run.`];
  }
  const usesContract = importsOf(file).some(({ specifier }) => specifier?.includes('/contracts/') === true);
  if (isTest && !hasSuite && !usesContract) return [`${file.path}:1: holds no test.`];
  return [];
}

/** The names of a file's suites: `test` of uvu under any name, and the results of `suite()`. */
function suitesOf(file: SourceFile): readonly { readonly name: string; readonly index: number }[] {
  const fromUvu = importsOf(file).find(({ specifier }) => specifier === 'uvu');
  if (fromUvu === undefined) return [];
  const imported = /\btest(?:\s+as\s+([\w$]+))?\b/.exec(fromUvu.names);
  const made = [...file.code.matchAll(/\b(?:const|let)\s+([\w$]+)\s*(?::[^=]+)?=\s*suite\b/g)];
  return [
    ...(imported === null ? [] : [{ name: imported[1] ?? 'test', index: fromUvu.index }]),
    ...made.map((match) => ({ name: match[1] ?? '', index: match.index })),
  ];
}
