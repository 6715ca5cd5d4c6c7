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

/**
 * The names of a file's suites: `test` of uvu under any name, and the results of `suite()`, `daemonSuite()` and `browserSuite()`. A suite that a function
 * returns is of the file that calls the function.
 */
function suitesOf(file: SourceFile): readonly { readonly name: string; readonly index: number }[] {
  const fromUvu = importsOf(file).find(({ specifier }) => specifier === 'uvu');
  const imported = fromUvu && /\btest(?:\s+as\s+([\w$]+))?\b/.exec(fromUvu.names);
  const maker = fromUvu === undefined ? '(?:daemonSuite|browserSuite)' : '(?:suite|daemonSuite|browserSuite)';
  const making = new RegExp(`\\b(?:const|let)\\s+([\\w$]+)\\s*(?::[^=]+)?=\\s*${maker}\\b`, 'g');
  const made = [...file.code.matchAll(making)].map(({ 1: name = '', index }) => ({ name, index }));
  return [
    ...(fromUvu && imported ? [{ name: imported[1] ?? 'test', index: fromUvu.index }] : []),
    ...made.filter(({ name }) => !new RegExp(`\\breturn ${name.replaceAll('$', '\\$')};`).test(file.code)),
  ];
}
