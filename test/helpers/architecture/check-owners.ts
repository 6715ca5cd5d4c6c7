import { importedPackage, importsOf } from './imports.js';
import { complaint, type SourceFile } from './source-file.js';

/** Who alone may use an outside thing: folders, or single files. */
export type Owners = Readonly<Record<string, readonly string[]>>;

/** One owner for each outside thing: packages, and those of Node's modules that reach out of the program. */
export const owners: Owners = {
  // Files of Aspera's servers are fetched by a program of theirs; locks of the kernel are taken by the program `flock`.
  'node:child_process': ['daemon/ffmpeg', 'daemon/transports/fasp', 'src/disk/lock/kernel-lock.ts'],
  'node:cluster': [],
  // Sums of large files are made beside the work.
  'node:worker_threads': ['daemon/transports/sum-beside.ts', 'daemon/transports/summing-worker.ts'],
  execa: ['daemon/ffmpeg'],
  '@ffmpeg-installer/ffmpeg': ['daemon/ffmpeg'],
  '@ffprobe-installer/ffprobe': ['daemon/ffmpeg'],
  'ffmpeg-static': ['daemon/ffmpeg'],
  'node:http': ['daemon/http', 'daemon/transports', 'src/client'],
  'node:https': ['daemon/transports', 'src/client'],
  'node:net': ['daemon/http', 'daemon/transports', 'src/client'],
  'node:tls': ['daemon/transports', 'src/client'],
  'node:dns': ['daemon/transports'],
  '@aws-sdk/client-s3': ['daemon/transports'],
  '@aws-sdk/lib-storage': ['daemon/transports'],
  'basic-ftp': ['daemon/transports'],
  ssh2: ['daemon/transports'],
  'ssh2-sftp-client': ['daemon/transports'],
  hono: ['daemon/http'],
  '@hono/node-server': ['daemon/http'],
  saxes: ['daemon/http'],
  lowdb: ['daemon/store'],
  conf: ['src/config'],
  commander: ['src/cli'],
  'cli-progress': ['src/cli'],
  ink: ['src/tui'],
  react: ['src/tui'],
};

/** Complains about every import of an outside thing by somebody else than its owner, and of packages without one. */
export function checkOwners(files: readonly SourceFile[], table: Owners): readonly string[] {
  return files.filter(isOfTheHouse).flatMap((file) =>
    importsOf(file).flatMap(({ index, specifier }) => {
      const name = specifier === null ? null : importedPackage(specifier);
      if (name === null) return [];
      const folders = table[name];
      if (folders === undefined) {
        return name.startsWith('node:') ? [] : [complaint(file, index, `${name} has no owner in the table.`)];
      }
      if (isIn(file.path, folders)) return [];
      const owner = folders.length === 0 ? 'nobody here' : `${folders.join(' and ')} alone`;
      return [complaint(file, index, `${name} belongs to ${owner}.`)];
    }),
  );
}

/** Where the program may be ended, and its exit code set. */
export const exitOwners = ['src/cli/main.ts', 'bin/venc.js'] as const;

const exit = /\bprocess\s*(?:\?\.|\.)\s*(?:exit|exitCode|abort|reallyExit)\b/g;

/** Complains about every place but the owners' that ends the program or sets its exit code. */
export function checkExits(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  return files
    .filter((file) => isOfTheHouse(file) && !allowed.includes(file.path))
    .flatMap((file) => {
      const sentence = `the program may be ended only in ${allowed.join(' and ')}.`;
      const said = [...file.code.matchAll(exit)].map(({ index }) => complaint(file, index, sentence));
      const imported = importsOf(file)
        .filter(({ specifier, names }) => specifier?.endsWith('process') === true && /\bexit/.test(names))
        .map(({ index }) => complaint(file, index, sentence));
      return [...said, ...imported];
    });
}

/** Tests and measurements may start programs and servers of their own. */
function isOfTheHouse({ path }: SourceFile): boolean {
  return /^(src|daemon|bin)\//.test(path);
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}
