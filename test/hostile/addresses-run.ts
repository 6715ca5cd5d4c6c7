import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { startFtpTestServer } from '../helpers/servers/ftp-test-server.js';
import { suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { type AddressCase, addressCases, publicHost } from './address-cases.js';
import { type CanaryConnection, startCanaries } from './canaries.js';
import { startNameServer } from './name-server.js';

/*
 * Runs in a network namespace (isolated-network.ts), in which every address is one of this machine. Sends each case to the daemon as
 * shipped, and prints what became of it and every connection that arrived at an address that is not public.
 */

/** What became of a case. */
export interface AddressResult extends AddressCase {
  /** Status of the create. */
  readonly status: number;
  /** Error classes of the job's input and outputs; empty if all succeeded. */
  readonly classes: readonly string[];
  readonly errors: string;
}

/** The result of the run. */
export interface AddressRun {
  readonly results: readonly AddressResult[];
  readonly connections: readonly CanaryConnection[];
  /** The ports of the public address at which connections arrived that no server of the test accepts. */
  readonly publicPorts: readonly number[];
  /** Log lines about notifications that were not delivered. */
  readonly notificationErrors: readonly string[];
  /** The paths that the public server was asked for. */
  readonly publicPaths: readonly string[];
}

const concurrency = 12;

async function main(): Promise<AddressRun> {
  process.env.VENC_SWIFT_AUTH_URL = `http://${publicHost}:8080/swift`;
  const folder = tempFolder();
  await makeMedia(`${folder}/film.mp4`, film('64x48', 1));
  const bytes = readFileSync(`${folder}/film.mp4`);
  const canaries = await startCanaries([80, 443, 21, 22, 990, 5000, 8443]);
  // A name that rebinds is public when it is resolved first, and then is not.
  const names = await startNameServer((name, count) => {
    if (name.startsWith('rebind')) return count === 1 ? [publicHost] : ['127.0.0.1', '::1'];
    const literals = /^to-([0-9a-z-]+)\./.exec(name)?.[1]?.split('-and-') ?? ['127.0.0.1', '::1'];
    return literals.map((text) =>
      text.startsWith('v6') ? text.slice(2).replaceAll('-', ':') : text.replaceAll('-', '.'),
    );
  });
  const publicPaths: string[] = [];
  const web = createServer((request, response) => {
    const url = new URL(request.url ?? '', `http://${publicHost}`);
    publicPaths.push(url.pathname);
    request.resume();
    const to = url.searchParams.get('to');
    if (to !== null) redirect(response, url.searchParams.get('status'), to);
    else if (url.pathname === '/swift') swiftLogin(response);
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => web.listen(8080, publicHost, resolve));
  const servers = await Promise.all(
    ftpAnswers.map(async (answers) => {
      const server = await startFtpTestServer({ host: publicHost, answers });
      server.files.set('/film.mp4', bytes);
      return server;
    }),
  );
  const daemon = await startTestDaemon({
    allowPrivateNetwork: false,
    filesRoots: [folder],
    jobs: 2,
    stallTimeoutSeconds: 1,
    rateLimit: 1_000_000,
  });
  try {
    const cases = addressCases({
      ...suiteOptions(),
      localFilm: `file://${folder}/film.mp4`,
      ftpPorts: servers.map(({ port }) => port),
    });
    const results: AddressResult[] = [];
    const runCases = mapWithConcurrency(cases, concurrency, async (one) => {
      results.push(await runCase(daemon, one));
    });
    // A connection to an address that is not public decides the run: the other cases would wait for a server that never answers.
    const unexpected = canaries.waitForConnection([publicHost]);
    await Promise.race([runCases, unexpected]);
    const expected = results
      .filter(({ status }) => status === 201)
      .flatMap(({ request }) => request.notifications ?? []);
    const failures = () => daemon.logLines.filter((line) => line.startsWith('warn Could not deliver'));
    const idOf = (line: string) => /notification (\S+)/.exec(line)?.[1];
    const areTried = () => new Set(failures().map(idOf)).size >= expected.length - 1;
    const isDecided = () => canaries.connections([publicHost]).length > 0;
    await waitUntil('every notification was tried', () => areTried() || isDecided());
    return {
      results,
      connections: canaries.connections([publicHost]),
      publicPorts: canaries
        .connections()
        .flatMap(({ address, port }) => (address === publicHost ? [port] : [])),
      notificationErrors: failures(),
      publicPaths,
    };
  } finally {
    await daemon.stop();
    await Promise.all([canaries.close(), names.close(), ...servers.map((server) => server.close())]);
    web.close();
    web.closeAllConnections();
  }
}

/** Answers of FTP servers at a public address that name another host or port for the data. */
const ftpAnswers = [
  {},
  { EPSV: '229 there (|1|127.0.0.1|22|)' },
  { EPSV: '502 what', PASV: '227 there (127,0,0,1,0,22)' },
  { EPSV: '502 what', PASV: '227 there (10,0,0,1,1,187)' },
  { EPSV: '502 what', PASV: '227 there (169,254,169,254,0,80)' },
];

/** Writes the address as UTF-8, which `writeHead` does not. */
function redirect(response: ServerResponse, status: string | null, to: string): void {
  response.socket?.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);
}

function swiftLogin(response: ServerResponse): void {
  response.writeHead(200, { 'x-storage-url': 'http://10.0.0.1/v1/account', 'x-auth-token': 'a-token' }).end();
}

async function runCase(daemon: TestDaemon, one: AddressCase): Promise<AddressResult> {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(one.request) });
  const answer = (await response.json()) as { readonly id?: string; readonly errors?: readonly string[] };
  if (response.status !== 201)
    return { ...one, status: response.status, classes: [], errors: answer.errors?.join('; ') ?? '' };
  const job = await daemon.waitForJob(Number(answer.id));
  const files = [job.input_media_file, ...job.output_media_files];
  return {
    ...one,
    status: 201,
    classes: files.flatMap(({ error_class }) => error_class ?? []),
    errors: files.flatMap(({ error_message }) => error_message ?? []).join('; '),
  };
}

const result = JSON.stringify(await main());
process.stdout.write(`${result}\n`, () => process.exit(0));
