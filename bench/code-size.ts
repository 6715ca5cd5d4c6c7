import { moduleOf } from '../test/helpers/architecture/check-imports.js';
import { type CodeSize, sizesOf } from '../test/helpers/architecture/code-size.js';
import { moduleMap } from '../test/helpers/architecture/modules.js';
import { readSources } from '../test/helpers/architecture/source-file.js';
import type { Figure } from './measure.js';

/** Counts the lines, files, exported names and importers of each module of the program, and of the tests, benchmarks and scripts. */
export async function measureCodeSize(): Promise<readonly Figure[]> {
  const program = sizesOf(
    readSources('.', ['src', 'daemon']),
    (path) => moduleOf(path, moduleMap)?.folder ?? null,
  );
  const rest = sizesOf(
    readSources('.', ['test', 'bench', 'scripts', 'bin']),
    (path) => path.split('/')[0] ?? null,
  );
  const rows = [...program].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...rows, ['src and daemon', sumOf([...program.values()])] as const, ...rest].map(([name, size]) =>
    rowOf(name, size),
  );
}

function sumOf(sizes: readonly CodeSize[]): CodeSize {
  const sum = (of: (size: CodeSize) => number) => sizes.reduce((total, size) => total + of(size), 0);
  return {
    files: sum(({ files }) => files),
    lines: sum(({ lines }) => lines),
    names: sum(({ names }) => names),
    types: sum(({ types }) => types),
    singles: sum(({ singles }) => singles),
  };
}

function rowOf(name: string, { files, lines, names, types, singles }: CodeSize): Figure {
  return {
    name: `code of ${name}`,
    unit: 'lines',
    value: { median: lines, low: lines, high: lines },
    atMost: null,
    basis: `${files} files, ${singles} with one importer; exports ${names} names, ${types} of them types`,
  };
}
