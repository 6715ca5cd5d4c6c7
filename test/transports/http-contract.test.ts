import { createGuard } from '../../daemon/transports/guard.js';
import { createHttpTransport } from '../../daemon/transports/http.js';
import { secret } from '../contracts/transport/transport-harness.js';
import { transportContract } from '../contracts/transport.js';
import { startHttpSource } from '../helpers/servers/http-source.js';

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

const guard = createGuard({ allowPrivateNetwork: true });
const trouble = (path: string) => async () => source.url(path, `user:${secret}`);

// Short, as several of these addresses stall on purpose; long enough for the rest on a busy machine.
const transport = createHttpTransport({ guard, stallTimeoutMs: 250, retryDelayMs: 1 });

transportContract('http', {
  transport,
  download: {
    async offer(name, bytes) {
      const path = `/${encodeURIComponent(name)}`;
      files.set(path, bytes);
      return source.url(path);
    },
    troubles: [
      { what: 'a wrong password', errorClass: 'InvalidUsernameOrPasswordError', url: trouble('/401') },
      { what: 'a refusal', errorClass: 'DownloadAccessDeniedError', url: trouble('/403') },
      { what: 'a missing file', errorClass: 'FileNotFoundError', url: trouble('/404') },
      { what: 'a file that is gone', errorClass: 'FileNotFoundError', url: trouble('/410') },
      { what: 'a server in trouble', errorClass: 'DownloadFailureError', url: trouble('/500') },
      { what: 'a server that says nothing', errorClass: 'DownloadTimeoutError', url: trouble('/silent') },
      {
        what: 'a server that stops in the middle',
        errorClass: 'DownloadTimeoutError',
        url: trouble('/half'),
      },
      {
        what: 'a refused connection',
        errorClass: 'DownloadFailureError',
        url: async () => `http://user:${secret}@127.0.0.1:1/a`,
      },
      {
        what: 'a host that does not exist',
        errorClass: 'DownloadFailureError',
        url: async () => `http://user:${secret}@nowhere.invalid/a`,
      },
      {
        what: 'a metadata service',
        errorClass: 'ForbiddenAddressError',
        url: async () => `http://user:${secret}@169.254.169.254/latest`,
      },
    ],
  },
  close: source.close,
});
