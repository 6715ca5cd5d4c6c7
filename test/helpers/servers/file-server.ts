import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

/** A plain HTTP server for the files of one folder. */
export interface FileServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the files directly in a folder, on a free loopback port. */
export async function serveFolder(folder: string): Promise<FileServer> {
  const server = createServer(async (request, response) => {
    const path = join(
      folder,
      basename(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)),
    );
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) {
      response.writeHead(404).end('no such file');
      return;
    }
    response.writeHead(200, { 'Content-Length': found.size });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
