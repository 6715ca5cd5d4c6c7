/* Whether dist/ is the result of the present sources, so that a build can be skipped. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a build reads. The packages count by their lock file. */
const places = [
  'bench',
  'daemon',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.json',
];
const stampOf = (root) => join(root, 'dist', 'built-from');

/** Whether the latest build is complete, and was made from files with this fingerprint. */
export function isBuilt(root, fingerprint) {
  const stamp = stampOf(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

/** Records that a build is complete. `fingerprint` is that of the files before the build. */
export function recordBuild(root, fingerprint) {
  writeFileSync(stampOf(root), fingerprint);
}

/** A hash of all files that a build reads, and of the version of V8, which the code cache is for. */
export function fingerprintOf(root) {
  const hash = createHash('sha256').update(`${process.versions.v8} ${process.arch}`);
  for (const place of places) {
    for (const path of filesIn(join(root, place)))
      hash.update(`\0${path}\0`).update(createHash('sha256').update(readFileSync(path)).digest());
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
