import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tempFolder } from '../temp.js';

/** A fake `ascp`: it "fetches" from a folder, knows one password, and fails with Aspera's messages. */
export interface FakeAscp {
  /** A PATH on which it is found. */
  readonly searchPath: string;
  /** Folder of the files that it fetches. */
  readonly root: string;
  readonly password: string;
  /** The arguments of its last start. */
  readonly lastStart: () => {
    readonly pid: number;
    readonly args: readonly string[];
    readonly env: readonly string[];
  };
}

/** The names of files whose transfer fails, with the message on stderr. */
const failures = {
  'denied.mp4': 'Session Stop  (Error: Server aborted session: Permission denied)',
  'refused.mp4': 'ascp: failed to open TCP connection for SSH, exiting.',
  'full.mp4': 'Session Stop  (Error: No space left on device)',
  'udp.mp4': 'Session Stop  (Error: Client unable to connect to server (check UDP port and firewall))',
  'strange.mp4': 'Session Stop  (Error: Something unknown)',
};

// Needs only Node.js and no package.
const program = (folder: string, password: string) => `#!${process.execPath}
const { appendFileSync, existsSync, openSync, readFileSync, statSync, writeFileSync, mkdirSync } = require('node:fs');
const { join, basename } = require('node:path');
const args = process.argv.slice(2);
const [source, target] = args.slice(-2);
const name = basename(source);
const root = ${JSON.stringify(join(folder, 'root'))};
writeFileSync(${JSON.stringify(join(folder, 'last-start.json'))}, JSON.stringify({ pid: process.pid, args, env: Object.keys(process.env) }));
const fail = (message) => { process.stderr.write(message + '\\n'); process.exit(1); };
const failures = ${JSON.stringify(failures)};
if (process.env.ASPERA_SCP_PASS !== ${JSON.stringify(password)}) fail('Session Stop  (Error: failed to authenticate)');
if (failures[name]) fail(failures[name]);
if (name === 'silent.mp4') setInterval(() => {}, 1000);
else if (name === 'child.mp4') {
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(${JSON.stringify(join(folder, 'child-pid'))}, String(child.pid));
  // Ignores SIGTERM, so that only SIGKILL ends it.
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
else if (name === 'folder.mp4') mkdirSync(target);
else {
  const path = join(root, source);
  if (!existsSync(path)) fail('Session Stop  (Error: Server aborted session: No such file or directory)');
  const bytes = readFileSync(path);
  // In chunks that can be seen to arrive, the first of them half of the file.
  let at = existsSync(target + '.partial') ? statSync(target + '.partial').size : 0;
  const { renameSync } = require('node:fs');
  const next = () => {
    const chunk = bytes.subarray(at, at + Math.max(1, Math.ceil(bytes.length / 2)));
    appendFileSync(target + '.partial', chunk);
    at += chunk.length;
    if (at < bytes.length) return void setTimeout(next, bytes.length > 1e6 ? 400 : 0);
    renameSync(target + '.partial', target);
  };
  if (name === 'cut.mp4' && at === 0) {
    appendFileSync(target + '.partial', bytes.subarray(0, 7));
    fail('Session Stop  (Error: Session data transfer timeout)');
  }
  next();
}
`;

/** Creates one in a temporary folder. */
export function fakeAscp(): FakeAscp {
  const folder = tempFolder();
  const password = 'open sesame';
  mkdirSync(join(folder, 'root'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'ascp'), program(folder, password), { mode: 0o755 });
  return {
    searchPath: [join(folder, 'bin'), process.env.PATH ?? ''].join(delimiter),
    root: join(folder, 'root'),
    password,
    lastStart: () => JSON.parse(readFileSync(join(folder, 'last-start.json'), 'utf8')),
  };
}
