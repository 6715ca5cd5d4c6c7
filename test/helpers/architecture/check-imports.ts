import { type Import, importedPath, importsOf } from './imports.js';
import type { Exception, Module, ModuleMap } from './modules.js';
import { type SourceFile, violation } from './source-file.js';

/** Reports every import of a module that the module map does not allow. */
export function checkImports(files: readonly SourceFile[], plan: ModuleMap): readonly string[] {
  return files.flatMap((file) => {
    const module = moduleOf(file.path, plan);
    if (module === null) return [`${file.path}:1: is in no module of the module map.`];
    if (module.mayUse.includes('*')) return [];
    return importsOf(file).flatMap((found) => {
      const { index, specifier } = found;
      if (specifier === null)
        return [violation(file, index, 'the import must name a file with a literal string.')];
      const path = importedPath(file.path, specifier);
      if (path === null || isOpen(plan, { module, from: file.path, to: path }, found)) return [];
      return [violation(file, index, sentence(plan, { module, from: file.path, to: path }))];
    });
  });
}

interface ImportPath {
  readonly module: Module;
  readonly from: string;
  readonly to: string;
}

function isOpen(plan: ModuleMap, path: ImportPath, { isLazy, isOfTypes }: Import): boolean {
  const target = moduleOf(path.to, plan);
  if (target === null) return false;
  if (target === path.module || path.module.mayUse.includes(target.folder)) return true;
  const exception = exceptionOf(plan, path);
  if (exception === undefined) return false;
  return exception.how === 'lazily' ? isLazy : isOfTypes;
}

function sentence(plan: ModuleMap, path: ImportPath): string {
  const exception = exceptionOf(plan, path);
  if (exception !== undefined) {
    const how = exception.how === 'lazily' ? 'import(...)' : 'import type';
    return `${path.to} may be imported only by ${how} here: ${exception.because}.`;
  }
  const target = moduleOf(path.to, plan)?.folder ?? path.to;
  const allowed =
    path.module.mayUse.length === 0 ? 'no other module' : `only ${path.module.mayUse.join(', ')}`;
  return `${path.module.folder} may not import ${target} (${path.to}); it may import ${allowed}.`;
}

function exceptionOf(plan: ModuleMap, path: ImportPath): Exception | undefined {
  return plan.exceptions.find(
    ({ from, to }) =>
      from.some((start) => start === path.from || start === path.module.folder) &&
      (to === path.to || path.to.startsWith(`${to}/`)),
  );
}

/** The innermost module that contains a file; null if there is none. */
export function moduleOf(path: string, plan: ModuleMap): Module | null {
  const around = plan.modules.filter(({ folder }) => path.startsWith(`${folder}/`));
  return around.reduce<Module | null>(
    (inner, module) => (inner === null || module.folder.length > inner.folder.length ? module : inner),
    null,
  );
}

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

/** The files among `paths` that a file imports, also only by their types. */
export function targetsOf(file: SourceFile, paths: ReadonlySet<string>): readonly string[] {
  const found = importsOf(file).flatMap(({ specifier }) => {
    const path = specifier === null ? null : importedPath(file.path, specifier);
    if (path === null) return [];
    return [path, path.replace(/\.ts$/, '.tsx')].filter((candidate) => paths.has(candidate));
  });
  return [...new Set(found)];
}
