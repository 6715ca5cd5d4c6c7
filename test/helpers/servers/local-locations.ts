import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listRecursively, tempFolder } from '../temp.js';
import { startHttpSource } from './http-source.js';
import { inUrl, pathInUrl, type StorageLocation, spellings } from './storage-location.js';
import { testCertificate, testKey } from './test-certificate.js';

const nothing = { read: async () => null, list: async () => [] };

/** A folder of this machine, below a root that must be passed to the daemon. */
export function fileLocation(): StorageLocation & { readonly root: string } {
  const root = tempFolder();
  mkdirSync(join(root, 'out'));
  return {
    scheme: 'file',
    against: 'this disk',
    root,
    async offer(name, bytes) {
      writeFileSync(join(root, name), bytes);
      return pathToFileURL(join(root, name)).href;
    },
    urlOf: (name) => `${pathToFileURL(join(root, 'out')).href}/${pathInUrl(name)}`,
    read: (name) => readFile(join(root, 'out', name)).catch(() => null),
    list: () => listRecursively(join(root, 'out')),
    secrets: [],
    env: {},
    end: async () => undefined,
  };
}

/** An HTTP server with a password that contains every character with a special meaning. */
export async function webLocation(scheme: 'http' | 'https'): Promise<StorageLocation> {
  const [user, password] = ['us er:ü'.replace(':', ';'), `p@ss/w:rd?#%41&"é ${scheme}`];
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const files = new Map<string, Buffer>();
  const tls = scheme === 'https' ? { key: testKey, cert: testCertificate } : undefined;
  const source = await startHttpSource(
    (request, response) => {
      const bytes = files.get(request.url ?? '');
      if (request.headers.authorization !== wanted)
        response.writeHead(401, { 'www-authenticate': 'Basic realm="films"' }).end();
      else if (bytes === undefined) response.writeHead(404).end();
      else response.end(bytes);
    },
    tls === undefined ? {} : { tls },
  );
  const authority = tempFolder();
  const path = join(authority, 'ca.pem');
  writeFileSync(path, testCertificate);
  return {
    ...nothing,
    scheme,
    against: `Node's ${scheme}`,
    async offer(name, bytes) {
      files.set(`/${pathInUrl(name)}`, bytes);
      return source.url(`/${pathInUrl(name)}`, `${inUrl(user)}:${inUrl(password)}`);
    },
    urlOf: null,
    secrets: [...spellings(password), wanted],
    env: { NODE_EXTRA_CA_CERTS: path },
    end: source.close,
  };
}
