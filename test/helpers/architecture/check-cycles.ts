import { importedPath, importsOf } from './imports.js';
import type { SourceFile } from './source-file.js';

/** Reports every import cycle once: `a.ts -> b.ts -> a.ts`. Lazy imports and type imports count too. */
export function checkCycles(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path));
  const imported = new Map(files.map((file) => [file.path, targetsOf(file, paths)]));
  const isDone = new Set<string>();
  const violations: string[] = [];

  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      violations.push(
        `${path}:1: is part of an import cycle: ${[...trail.slice(start), path].join(' -> ')}.`,
      );
      return;
    }
    if (isDone.has(path)) return;
    for (const next of imported.get(path) ?? []) visit(next, [...trail, path]);
    isDone.add(path);
  };
  for (const path of paths) visit(path, []);
  return violations;
}

function targetsOf(file: SourceFile, paths: ReadonlySet<string>): readonly string[] {
  const found = importsOf(file).flatMap(({ specifier }) => {
    const path = specifier === null ? null : importedPath(file.path, specifier);
    if (path === null) return [];
    return [path, path.replace(/\.ts$/, '.tsx')].filter((candidate) => paths.has(candidate));
  });
  return [...new Set(found)];
}
