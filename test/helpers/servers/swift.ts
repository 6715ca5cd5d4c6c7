import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import {
  type FoundProgram,
  findPrograms,
  type MissingProgram,
  type ProgramOptions,
  type RunningProgram,
  startProgram,
} from './program.js';
import { swiftConfigurations, swiftUsers } from './swift/configurations.js';
import { launcher } from './swift/launcher.js';

/** Options of a request to a cluster. */
export interface SwiftRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** An OpenStack Swift cluster on loopback that keeps its objects in memory, with tempauth (v1) and the S3 interface. */
export interface Swift {
  /** URL of the v1 authentication. */
  readonly authUrl: string;
  /** URL of the account of {@link user}; containers follow after a slash. */
  readonly storageUrl: string;
  /** URL of the S3 interface: path-style, region us-east-1, with user and key as access key id and secret. */
  readonly s3Endpoint: string;
  readonly host: string;
  /** Version as reported by the server, such as `2.30.1`. */
  readonly version: string;
  /** `account:user` with all permissions. */
  readonly user: string;
  readonly key: string;
  /** `account:user` that may log in but has no permissions. */
  readonly readOnly: { readonly user: string; readonly key: string };
  /** Sends a request with all permissions for a path below the account, `container/object` percent-encoded. */
  ask(method: string, path: string, request?: SwiftRequest): Promise<Response>;
  /** Names of the objects of a container, decoded. */
  list(container: string): Promise<readonly string[]>;
  /** Ends all servers. */
  end(): Promise<void>;
}

/** The programs of a cluster, or which are missing. */
export function swiftPrograms() {
  return findPrograms(
    'memcached',
    'swift-proxy-server',
    'swift-account-server',
    'swift-container-server',
    'swift-object-server',
  );
}

/** Starts a cluster. Takes about a second. */
export async function startSwift(
  programs: Exclude<ReturnType<typeof swiftPrograms>, MissingProgram>,
): Promise<Swift> {
  const folder = tempFolder();
  const { username } = userInfo();
  mkdirSync(join(folder, 'disks', 'disk'), { recursive: true });
  for (const [name, text] of swiftConfigurations(folder, username)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'launcher.py'), launcher);
  const cache = await startMemcached(programs.memcached, folder, username);
  const servers = await startLauncher(programs['swift-proxy-server'], folder, cache.port).catch(
    async (error: unknown) => {
      await cache.program.end();
      throw error;
    },
  );
  const host = `127.0.0.1:${servers.port}`;
  const [[account, owner, key], [, reader, readerKey]] = swiftUsers;
  const user = `${account}:${owner}`;
  const authUrl = `http://${host}/auth/v1.0`;
  const storageUrl = `http://${host}/v1/AUTH_${account}`;
  const login = await fetch(authUrl, { headers: { 'x-auth-user': user, 'x-auth-key': key } });
  const token = login.headers.get('x-auth-token') ?? '';
  const info = await (await fetch(`http://${host}/info`)).text();
  const ask: Swift['ask'] = (method, path, { headers = {}, body } = {}) =>
    fetch(`${storageUrl}/${path}`, {
      method,
      headers: { 'x-auth-token': token, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  return {
    authUrl,
    storageUrl,
    s3Endpoint: `http://${host}`,
    host,
    version: /"version": "([\d.]+)"/.exec(info)?.[1] ?? 'of an unknown version',
    user,
    key,
    readOnly: { user: `${account}:${reader}`, key: readerKey },
    ask,
    async list(container) {
      const found: unknown = await (await ask('GET', `${encodeURIComponent(container)}?format=json`)).json();
      if (!Array.isArray(found)) throw new TypeError('a listing is an array');
      return found.map(({ name }) => String(name));
    },
    async end() {
      await servers.program.end();
      await cache.program.end();
    },
  };
}

/** Port -1 means any free port; the server writes it to a file. */
async function startMemcached(program: FoundProgram, folder: string, user: string): Promise<Started> {
  const portsPath = join(folder, 'memcached-ports');
  const args = ['-u', user, '-l', '127.0.0.1', '-p', '-1', '-U', '0', '-m', '64'];
  return startAndRead(program, { args, env: { MEMCACHED_PORT_FILENAME: portsPath } }, portsPath);
}

/** Uses the Python interpreter of Swift's own programs, because another one may lack their packages. */
async function startLauncher(program: FoundProgram, folder: string, cachePort: string): Promise<Started> {
  const python = /^#!\s*(\S+)/.exec(readFileSync(program.path, 'utf8'))?.[1] ?? '/usr/bin/python3';
  const args = [join(folder, 'launcher.py'), folder, cachePort];
  return startAndRead({ ...program, path: python }, { args }, join(folder, 'proxy-port'));
}

interface Started {
  readonly program: RunningProgram;
  readonly port: string;
}

/** Starts a server that listens on any free port and writes it as `TCP INET: PORT`. */
async function startAndRead(
  program: FoundProgram,
  options: Omit<ProgramOptions, 'ready'>,
  portPath: string,
): Promise<Started> {
  const portOf = () => {
    try {
      return /^TCP INET: (\d+)$/m.exec(readFileSync(portPath, 'utf8'))?.[1] ?? null;
    } catch {
      return null;
    }
  };
  const running = await startProgram(program, { ...options, ready: async () => portOf() !== null });
  return { program: running, port: portOf() ?? '' };
}
