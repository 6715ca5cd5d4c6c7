import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { findProgram, freePorts, type MissingProgram, startProgram } from './program.js';
import { testCertificate, testKey } from './test-certificate.js';

/** How nginx serves its folder, by the first path segment. */
export type NginxRoute =
  /** Unchanged; `limited` at the configured rate; `dripping` at one byte per second. */
  | 'plain'
  | 'limited'
  | 'dripping'
  /** To two connections at a time, slowly; others are answered with 503. */
  | 'crowded'
  /** Without support for ranges. */
  | 'whole'
  /** Only with user and password, with `guarded` also slowly; `forbidden` to nobody. */
  | 'private'
  | 'guarded'
  | 'forbidden'
  /** A redirect to `limited`, a redirect loop, 410, and a server error. */
  | 'moved'
  | 'circle'
  | 'gone'
  | 'broken';

/** A request from the log of nginx. */
export interface NginxRequest {
  readonly path: string;
  readonly status: number;
  readonly range: string;
  readonly bodyBytes: number;
  /** The authenticated user; empty without one. */
  readonly user: string;
  /** Number of its connection. */
  readonly connection: number;
}

/** A real nginx on free loopback ports. */
export interface Nginx {
  /** Name and version of the server. */
  readonly version: string;
  readonly port: number;
  /** The served folder. */
  readonly folder: string;
  readonly user: string;
  readonly password: string;
  /** The URL of a file in the folder. */
  url(
    route: NginxRoute,
    name: string,
    options?: { readonly isTls?: boolean; readonly host?: string },
  ): string;
  /** The requests, in the order in which their responses ended. */
  log(): readonly NginxRequest[];
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** How nginx is started. */
export interface NginxOptions {
  /** Bytes per second for each connection to `limited`; 1 MB by default. */
  readonly bytesPerSecond?: number;
}

const user = 'reader';
const password = 'p@ss:wörd';

/** Starts nginx, or returns what is missing. Its files, logs and configuration are in a temporary folder. */
export async function startNginx({
  bytesPerSecond = 1_000_000,
}: NginxOptions = {}): Promise<Nginx | MissingProgram> {
  const found = findProgram('nginx');
  if ('missing' in found) return found;
  const base = tempFolder();
  const folder = join(base, 'files');
  mkdirSync(folder);
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const sum = createHash('sha1').update(password).digest('base64');
  writeFileSync(join(base, 'users'), `${user}:{SHA}${sum}\n`);
  writeFileSync(join(base, 'key.pem'), testKey);
  writeFileSync(join(base, 'certificate.pem'), testCertificate);
  const config = join(base, 'nginx.conf');
  writeFileSync(config, configuration(base, { port, tlsPort, bytesPerSecond }));
  const running = await startProgram(found, {
    args: ['-p', base, '-c', config, '-e', 'stderr'],
    ready: port,
  });
  // nginx prints its version to stderr.
  const stderr = spawnSync(found.path, ['-v'], { encoding: 'utf8' }).stderr;
  return {
    version: /nginx\/\S+/.exec(stderr)?.[0].replace('/', ' ') ?? 'nginx',
    port,
    folder,
    user,
    password,
    url: (route, name, { isTls = false, host = '127.0.0.1' } = {}) =>
      `${isTls ? 'https' : 'http'}://${host}:${isTls ? tlsPort : port}/${route}/${encodeURIComponent(name)}`,
    log: () => readLog(join(base, 'access.log')),
    signal: running.signal,
    close: running.end,
  };
}

interface ConfigurationParts {
  readonly port: number;
  readonly tlsPort: number;
  readonly bytesPerSecond: number;
}

function configuration(base: string, { port, tlsPort, bytesPerSecond }: ConfigurationParts): string {
  const files = `alias ${base}/files/;`;
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${base}/nginx.pid;
events { worker_connections 256; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${base}/${name};`).join(' ')}
  log_format requests '$uri\t$status\t$http_range\t$body_bytes_sent\t$connection\t$remote_user';
  access_log ${base}/access.log requests;
  sendfile on;
  default_type application/octet-stream;
  limit_conn_zone $server_port zone=crowd:1m;
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    listen 127.0.0.2:${tlsPort} ssl;
    ssl_certificate ${base}/certificate.pem;
    ssl_certificate_key ${base}/key.pem;
    location /plain/ { ${files} }
    location /limited/ { ${files} limit_rate ${bytesPerSecond}; }
    location /dripping/ { ${files} limit_rate 1; }
    location /crowded/ { ${files} limit_rate ${bytesPerSecond}; limit_conn crowd 2; }
    location /whole/ { ${files} limit_rate ${bytesPerSecond}; max_ranges 0; }
    location /private/ { ${files} auth_basic private; auth_basic_user_file ${base}/users; }
    location /guarded/ { ${files} limit_rate ${bytesPerSecond}; auth_basic private; auth_basic_user_file ${base}/users; }
    location /forbidden/ { return 403; }
    location /moved/ { rewrite ^/moved/(.*)$ /limited/$1 redirect; }
    location /circle/ { rewrite ^ $uri redirect; }
    location /gone/ { return 410; }
    location /broken/ { return 503; }
  }
}
`;
}

function readLog(path: string): readonly NginxRequest[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [asked = '', status, range = '', bodyBytes, connection, name = ''] = line.split('\t');
    return {
      path: asked,
      status: Number(status),
      range,
      bodyBytes: Number(bodyBytes),
      connection: Number(connection),
      user: name === '-' ? '' : name,
    };
  });
}
