/*
 * The last step of the build: runs the most frequent commands of scripts, loads the daemon, and writes V8's code caches
 * of the functions that ran. Only these are in the caches, so they stay small.
 *
 *   node scripts/build/warm-code-cache.mjs FOLDER
 *
 * No request leaves the process. HTTP connections go to a server in the same process over a pair of streams, and
 * opening any socket throws. The process has its own environment and home folder, so that keys, targets and
 * configuration of the user have no effect.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

const commands = [
  '--version',
  '--help',
  'list --json',
  '__complete bash',
  'submit https://example.com/in.mp4',
  'wait 1',
  'show 1',
  'progress 1',
];
/** The modules of the daemon that commands load first. */
const daemonModules = [
  'daemon/app/start-daemon.js',
  'daemon/app/one-shot-run.js',
  'daemon/worker/run-worker.js',
];

/** Runs this script again with an empty home folder and without the environment of the caller. */
function runIsolated(folder) {
  const home = mkdtempSync(join(tmpdir(), 'venc-build-'));
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    VENC_DATA: join(home, 'data'),
    VENC_URL: 'http://127.0.0.1:9',
    VENC_API_KEY: 'not-a-key',
  };
  const script = fileURLToPath(import.meta.url);
  try {
    const { status } = spawnSync(process.execPath, [script, folder, '--child'], {
      env,
      // What is completed.
      input: ['submit', '--video-codec', 'the', ''].join('\0'),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    process.exitCode = status ?? 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function warm(folder) {
  answerInProcess();
  const { main, library, load, createCaches } = createRequire(import.meta.url)('../../dist/venc/launch.cjs');
  for (const command of commands) {
    await main(command.split(' '));
    if (process.exitCode !== undefined && process.exitCode !== 0) {
      throw new Error(`venc ${command} exited with ${process.exitCode} while the code cache was created`);
    }
  }
  library();
  for (const name of daemonModules) await load(`daemon.cjs:${name}`);
  for (const [name, cache] of createCaches()) writeFileSync(join(folder, name), cache);
}

/** Answers every HTTP request of this process with a server that does not listen. */
function answerInProcess() {
  const file = { id: 1, state: 'finished' };
  const job = { id: 1, state: 'finished', test: false, input_media_file: file, output_media_files: [] };
  const server = http.createServer((request, response) => {
    const isList = /\/jobs(\.json)?(\?|$)/.test(request.url ?? '') && request.method === 'GET';
    const answer = isList ? [{ job }] : request.method === 'POST' ? { id: 1, outputs: [] } : { job, ...job };
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  const { request } = http;
  http.request = (url, { agent, ...options }, onResponse) =>
    request(url, { ...options, createConnection: () => connectTo(server) }, onResponse);
  Socket.prototype.connect = () => {
    throw new Error('The build opened a socket while it created the code cache.');
  };
}

/** Creates a connection to a server of this process, without a socket. */
function connectTo(server) {
  const [client, accepted] = [new Stream(), new Stream()];
  client.peer = accepted;
  accepted.peer = client;
  server.emit('connection', accepted);
  return client;
}

/** One end of a connection: data written to it is read from its peer. */
class Stream extends Duplex {
  peer;

  _read() {}

  _write(chunk, _encoding, callback) {
    this.peer.push(chunk);
    callback();
  }

  _final(callback) {
    this.peer.push(null);
    callback();
  }

  setTimeout() {}
  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
}

const [cacheFolder, isChild] = process.argv.slice(2);
if (cacheFolder === undefined)
  throw new Error('name the folder of the caches: node scripts/build/warm-code-cache.mjs FOLDER');
if (isChild === '--child') await warm(cacheFolder);
else runIsolated(cacheFolder);
