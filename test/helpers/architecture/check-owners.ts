import { importedPackage, importsOf } from './imports.js';
import { type SourceFile, violation } from './source-file.js';

/** The folders and files that may use an external package or a module of Node.js. */
type Owners = Readonly<Record<string, readonly string[]>>;

/** The owner of each package, and of each module of Node.js that reaches outside the process. */
export const owners: Owners = {
  // Aspera's program `ascp` fetches files from its servers, and a program sends mail; the program `flock` takes kernel locks.
  'node:child_process': [
    // A browser outlives the command that opens it.
    'src/cli/commands/open.ts',
    'daemon/ffmpeg',
    'daemon/transports/run-program.ts',
    'src/shared/util/lock/kernel-lock.ts',
  ],
  'node:cluster': [],
  // A worker thread computes the checksums of large files.
  'node:worker_threads': ['daemon/transfer/incremental-md5.ts', 'daemon/transfer/md5-worker.ts'],
  execa: ['daemon/ffmpeg'],
  '@ffmpeg-installer/ffmpeg': ['daemon/ffmpeg'],
  '@ffprobe-installer/ffprobe': ['daemon/ffmpeg'],
  'ffmpeg-static': ['daemon/ffmpeg'],
  'node:http': ['daemon/http', 'daemon/transports', 'src/client'],
  'node:https': ['daemon/transports', 'src/client'],
  'node:net': [
    'daemon/http',
    'daemon/net',
    'daemon/transports',
    'daemon/web',
    'src/client',
    'src/config/daemon-flags.ts',
  ],
  'node:tls': ['daemon/net', 'daemon/transports', 'src/client'],
  'node:dns': ['daemon/net'],
  '@aws-sdk/client-s3': ['daemon/transports'],
  '@aws-sdk/lib-storage': ['daemon/transports'],
  'basic-ftp': ['daemon/transports'],
  ssh2: ['daemon/transports'],
  'ssh2-sftp-client': ['daemon/transports'],
  hono: ['daemon/http', 'daemon/web'],
  '@hono/node-server': ['daemon/http'],
  saxes: ['src/shared/xml', 'daemon/captions'],
  conf: ['src/config'],
  lowdb: ['daemon/store'],
  'lru-cache': ['daemon/store', 'daemon/actions/compared-frames.ts'],
  commander: ['src/cli'],
  'cli-progress': ['src/cli'],
  pg: ['daemon/store/postgres'],
  kysely: ['daemon/store/postgres', 'daemon/queue/postgres'],
  'pg-boss': ['daemon/queue/postgres'],
  'prom-client': ['daemon/metrics'],
  '@opentelemetry/api': ['daemon/tracing'],
  '@opentelemetry/core': ['daemon/tracing'],
  '@opentelemetry/resources': ['daemon/tracing'],
  '@opentelemetry/sdk-trace-base': ['daemon/tracing'],
  '@opentelemetry/exporter-trace-otlp-http': ['daemon/tracing'],
  '@opentelemetry/exporter-trace-otlp-proto': ['daemon/tracing'],
  ink: ['src/tui'],
  react: ['src/tui'],
  '@modelcontextprotocol/sdk': ['src/mcp'],
};

/** Reports every import of a package outside its owner, and of packages without an owner. */
export function checkOwners(files: readonly SourceFile[], table: Owners): readonly string[] {
  return files.filter(isShipped).flatMap((file) =>
    importsOf(file).flatMap(({ index, specifier }) => {
      const name = specifier === null ? null : importedPackage(specifier);
      if (name === null) return [];
      const folders = table[name];
      if (folders === undefined) {
        return name.startsWith('node:')
          ? []
          : [violation(file, index, `${name} has no owner in the table of check-owners.ts.`)];
      }
      if (isIn(file.path, folders)) return [];
      const owner = folders.length === 0 ? 'no module' : `${folders.join(' and ')}`;
      return [violation(file, index, `${name} may be imported only by ${owner}.`)];
    }),
  );
}

/** The files that may end the process or set its exit code. */
export const exitOwners = ['src/cli/main.ts', 'bin/venc.js'] as const;

const exit = /\bprocess\s*(?:\?\.|\.)\s*(?:exit|exitCode|abort|reallyExit)\b/g;

/** Reports every other file that ends the process or sets its exit code. */
export function checkExits(files: readonly SourceFile[], allowed: readonly string[]): readonly string[] {
  return files
    .filter((file) => isShipped(file) && !allowed.includes(file.path))
    .flatMap((file) => {
      const sentence = `the process may be ended only in ${allowed.join(' and ')}.`;
      const assigned = [...file.code.matchAll(exit)].map(({ index }) => violation(file, index, sentence));
      const imported = importsOf(file)
        .filter(({ specifier, names }) => specifier?.endsWith('process') === true && /\bexit/.test(names))
        .map(({ index }) => violation(file, index, sentence));
      return [...assigned, ...imported];
    });
}

/** Tests and benchmarks may start programs and servers. */
function isShipped({ path }: SourceFile): boolean {
  return /^(src|daemon|bin)\//.test(path);
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
