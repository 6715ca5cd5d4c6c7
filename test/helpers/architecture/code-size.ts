import { declaration } from './check-form.js';
import { targetsOf } from './check-imports.js';
import { linesOf, type SourceFile } from './source-file.js';

/** How much code a module has. */
export interface CodeSize {
  readonly files: number;
  readonly lines: number;
  /** Exported names, types included. */
  readonly names: number;
  /** Exported interfaces, types and enums. */
  readonly types: number;
  /** Files that exactly one other file imports, also only by its types. */
  readonly singles: number;
}

/** The size of each module, by its folder. Importers are counted among `files`. */
export function sizesOf(
  files: readonly SourceFile[],
  moduleOf: (path: string) => string | null,
): ReadonlyMap<string, CodeSize> {
  const importers = countImporters(files);
  const sizes = new Map<string, CodeSize>();
  for (const file of files) {
    const module = moduleOf(file.path);
    if (module === null) continue;
    const exported = [...file.code.matchAll(declaration)].map(([line]) => line);
    const before = sizes.get(module) ?? { files: 0, lines: 0, names: 0, types: 0, singles: 0 };
    sizes.set(module, {
      files: before.files + 1,
      lines: before.lines + linesOf(file),
      names: before.names + exported.length,
      types:
        before.types +
        exported.filter((line) => /^export (?:const )?(?:interface|type|enum)/.test(line)).length,
      singles: before.singles + (importers.get(file.path) === 1 ? 1 : 0),
    });
  }
  return sizes;
}

function countImporters(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const paths = new Set(files.map(({ path }) => path));
  const counts = new Map<string, number>();
  for (const file of files) {
    for (const path of targetsOf(file, paths)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}
