import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../temp.js';
import { findProgram, freePorts, type MissingProgram, startProgram } from './program.js';
import { testCertificate, testKey } from './test-certificate.js';

/** A real nginx in front of a daemon, on free loopback ports. */
export interface NginxProxy {
  readonly port: number;
  readonly tlsPort: number;
  /** The paths and the statuses of the requests that have been answered. */
  log(): readonly { readonly path: string; readonly status: number }[];
  close(): Promise<void>;
}

/** Starts nginx as a proxy that ends a request after a time without an answer, or returns what is missing. */
export async function startNginxProxy(
  upstreamPort: string | number,
  readTimeoutSeconds: number,
): Promise<NginxProxy | MissingProgram> {
  const found = findProgram('nginx');
  if ('missing' in found) return found;
  const base = tempFolder();
  const [port = 0, tlsPort = 0] = await freePorts(2);
  writeFileSync(join(base, 'key.pem'), testKey);
  writeFileSync(join(base, 'certificate.pem'), testCertificate);
  const config = join(base, 'nginx.conf');
  writeFileSync(config, configuration(base, { port, tlsPort, upstreamPort, readTimeoutSeconds }));
  const running = await startProgram(found, {
    args: ['-p', base, '-c', config, '-e', 'stderr'],
    ready: port,
  });
  return {
    port,
    tlsPort,
    log: () =>
      readFileSync(join(base, 'access.log'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [path = '', status] = line.split('\t');
          return { path, status: Number(status) };
        }),
    close: running.end,
  };
}

interface ConfigurationParts {
  readonly port: number;
  readonly tlsPort: number;
  readonly upstreamPort: string | number;
  readonly readTimeoutSeconds: number;
}

function configuration(
  base: string,
  { port, tlsPort, upstreamPort, readTimeoutSeconds }: ConfigurationParts,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${base}/nginx.pid;
events { worker_connections 256; }
http {
  ${temporary.map((name) => `${name}_temp_path ${base}/${name};`).join(' ')}
  log_format requests '$uri\t$status';
  access_log ${base}/access.log requests;
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${base}/certificate.pem;
    ssl_certificate_key ${base}/key.pem;
    client_max_body_size 0;
    location / {
      proxy_pass http://127.0.0.1:${upstreamPort};
      proxy_read_timeout ${readTimeoutSeconds}s;
    }
  }
}
`;
}
