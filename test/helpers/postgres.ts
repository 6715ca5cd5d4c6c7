import { execFile } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { FoundProgram, MissingProgram } from './servers/find-program.js';
import { freePort, processTree, type RunningProgram, startProgram } from './servers/program.js';
import { tempFolder } from './temp.js';
import { waitUntil } from './wait-until.js';

const execute = promisify(execFile);

/** Folder of Debian's packages, one subfolder per version. */
const debianFolder = '/usr/lib/postgresql';
/** The role that owns all databases. Its password needs percent-encoding in a DSN. */
const owner = { user: 'venc', password: 'p@ss:word/geheim' } as const;

/** A role of the server. */
export interface PostgresRole {
  readonly user: string;
  readonly password: string;
}

/** A PostgreSQL server of one test, with `fsync` on, on a free loopback port. */
export interface PostgresServer {
  readonly port: number;
  /** The DSN of a database, by default for the role that owns all databases. */
  dsn(database: string, role?: PostgresRole): string;
  /** Creates a database, empty or as a copy of another, and returns its name. */
  createDatabase(template?: string): Promise<string>;
  /** Runs statements in a database and returns the rows of the last one. */
  query(database: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Kills all processes of the server at once. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`, and waits until it has recovered. As a standby it answers reads until `pg_promote` ends that. */
  restart(as?: 'primary' | 'standby'): Promise<void>;
  /** Ends the server. */
  end(): Promise<void>;
}

/** Finds PostgreSQL and its version, on the PATH of Debian's packages. */
export function findPostgres(): { readonly bin: string } | MissingProgram {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const bin = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  return bin === undefined ? { missing: 'PostgreSQL is missing: apt-get install postgresql' } : { bin };
}

/** Creates a server in a temporary folder and starts it. */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  // PostgreSQL does not run as root, and an unprivileged user cannot enter the temporary folder of root.
  const isRoot = process.getuid?.() === 0;
  const folder = isRoot ? tempFolder('/tmp') : tempFolder();
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, owner.password);
  if (isRoot) {
    const { uid, gid } = idsOf('postgres') ?? idsOf('nobody') ?? { uid: 65534, gid: 65534 };
    for (const path of [folder, passwordFile]) chownSync(path, uid, gid);
  }
  const data = join(folder, 'data');
  const run = (name: string, args: readonly string[]) => unprivileged(join(bin, name), args, isRoot);
  const initdb = run('initdb', [
    ...['--pgdata', data, '--username', owner.user, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
  ]);
  await execute(initdb.path, [...initdb.args], { cwd: folder });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    shared_buffers: '32MB',
    fsync: 'on',
    log_min_messages: 'panic',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = run('postgres', ['-D', data, ...args]);
  const dsn = (database: string, { user, password }: PostgresRole = owner) =>
    `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const query = async (database: string, sql: string) => {
    const client = new Client(dsn(database));
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const isReady = () =>
    query('postgres', 'select 1').then(
      () => true,
      () => false,
    );
  const program: FoundProgram = { path: server.path, env: {}, root: '/' };
  const start = () => startProgram(program, { args: server.args, cwd: folder, ready: isReady });
  let running: RunningProgram = await start();
  let isKilled = false;
  let count = 0;
  return {
    port,
    dsn,
    query,
    async createDatabase(template = 'template0') {
      count += 1;
      const name = `test_${count}`;
      await query('postgres', `create database ${name} template ${template}`);
      return name;
    },
    async kill() {
      const members = processTree(running.pid);
      isKilled = true;
      running.signal('SIGKILL');
      await waitUntil('the server is gone', () => members.every((pid) => !isProcess(pid)));
    },
    async restart(as = 'primary') {
      if (!isKilled) return;
      if (as === 'standby') writeFileSync(join(data, 'standby.signal'), '');
      // A process that the server started at the moment of the kill still has its shared memory, and ends by itself.
      await waitUntil('the server starts again', () =>
        start().then(
          (started) => {
            running = started;
            return true;
          },
          () => false,
        ),
      );
      isKilled = false;
    },
    end: () => running.end(),
  };
}

interface ProgramCall {
  readonly path: string;
  readonly args: readonly string[];
}

function unprivileged(path: string, args: readonly string[], isRoot: boolean): ProgramCall {
  if (!isRoot) return { path, args };
  const { uid, gid } = idsOf('postgres') ?? idsOf('nobody') ?? { uid: 65534, gid: 65534 };
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return { path: '/usr/bin/setpriv', args: [...identity, path, ...args] };
}

function idsOf(user: string): { readonly uid: number; readonly gid: number } | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

function isProcess(pid: number): boolean {
  try {
    // A process that was killed and not yet reaped is gone.
    return !/\)\s+Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
