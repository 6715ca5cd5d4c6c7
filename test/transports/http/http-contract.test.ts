import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { createHttpTransport } from '../../../daemon/transports/http/http-transport.js';
import { unreachableHosts } from '../../contracts/transport/common-error-cases.js';
import { secret } from '../../contracts/transport/transport-harness.js';
import { transportContract } from '../../contracts/transport.js';
import { startHttpSource } from '../../helpers/servers/http-source.js';

const files = new Map<string, Buffer>();
const statuses: Readonly<Record<string, number>> = {
  '/401': 401,
  '/403': 403,
  '/404': 404,
  '/410': 410,
  '/500': 500,
};

const source = await startHttpSource((request, response) => {
  const path = request.url ?? '';
  const status = statuses[path];
  if (status !== undefined) {
    response.writeHead(status).end('<html>no</html>');
    return;
  }
  if (path === '/silent') return;
  if (path === '/half') {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    return;
  }
  response.end(files.get(path) ?? '');
});

const guard = createSsrfGuard({ allowPrivateNetwork: true });
const problemUrl = (path: string) => async () => source.url(path, `user:${secret}`);

// Short, because several of these addresses stall on purpose; long enough for the rest on a busy machine.
const transport = createHttpTransport({ guard, stallTimeoutMs: 250, retryDelayMs: 1 });

transportContract('http', {
  transport,
  against: "Node's http",
  download: {
    async offer(name, bytes) {
      const path = `/${encodeURIComponent(name)}`;
      files.set(path, bytes);
      return source.url(path);
    },
    common: {
      'a wrong password': problemUrl('/401'),
      'a missing file': problemUrl('/404'),
      'a file without permission': problemUrl('/403'),
      'a server that stalls': problemUrl('/half'),
      ...unreachableHosts((host) => `http://user:${secret}@${host}/a`),
    },
    errorCases: [
      { what: 'a file that is gone', errorClass: 'FileNotFoundError', url: problemUrl('/410') },
      { what: 'a failing server', errorClass: 'DownloadFailureError', url: problemUrl('/500') },
      { what: 'a server that says nothing', errorClass: 'DownloadTimeoutError', url: problemUrl('/silent') },
    ],
  },
  close: source.close,
});
