import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, unpackedFolder } from './find-program.js';
import { programNamed, type ServerProgramName, serverProgramNames } from './packages.js';

/*
 * `node dist/test/helpers/servers/install.js` runs before `npm run test:servers`. It installs the servers that tests use, if the user may do
 * so, and reports which are missing; their tests are then skipped. Existing installations are not changed, no service is started, and no
 * package is removed for another.
 */

const policy = '/usr/sbin/policy-rc.d';
const missing = (): readonly ServerProgramName[] =>
  serverProgramNames.filter((name) => 'missing' in findProgram(name));

function main(): void {
  const before = missing();
  if (before.length === 0) return;
  if (spawnSync('apt-get', ['--version']).status === 0) {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) apt(['update', '-qq']);
    const toInstall = before.filter((name) => programNamed(name).unpacked === undefined);
    if (isRoot && toInstall.length > 0) install(toInstall);
    for (const name of before.filter((name) => programNamed(name).unpacked !== undefined)) unpack(name);
  }
  for (const name of missing()) {
    const found = findProgram(name);
    if ('missing' in found) console.log(`${found.missing} (its tests are skipped)`);
  }
}

/** Installs packages without starting their services. If one fails, the others are still installed. */
function install(names: readonly ServerProgramName[]): void {
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const packages = [...new Set(names.map((name) => programNamed(name).package))];
    const flags = ['install', '-y', '-qq', '--no-install-recommends', '--no-remove'];
    if (!apt([...flags, ...packages])) for (const one of packages) apt([...flags, one]);
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

/** Unpacks a program with its libraries into a temporary folder and then renames it, so that an existing folder is complete. */
function unpack(name: ServerProgramName): void {
  const { package: deb, unpacked = [] } = programNamed(name);
  mkdirSync(unpackedFolder, { recursive: true });
  const folder = mkdtempSync(join(unpackedFolder, 'new-'));
  try {
    // One by one, because the available libraries differ between releases.
    for (const one of unpacked) apt(['download', '-qq', one], folder);
    for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.deb')))
      spawnSync('dpkg', ['-x', join(folder, file), join(folder, 'root')], { stdio: 'inherit' });
    rmSync(join(unpackedFolder, deb), { recursive: true, force: true });
    if (existsSync(join(folder, 'root'))) renameSync(join(folder, 'root'), join(unpackedFolder, deb));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs apt-get and prints its errors. Returns whether it succeeded. */
function apt(args: readonly string[], cwd?: string): boolean {
  const { status, stderr } = spawnSync('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    ...(cwd === undefined ? {} : { cwd }),
  });
  // The warning about a download as root into a folder of root does not matter.
  const output = (stderr ?? '').split('\n').filter((line) => /^E: /.test(line));
  if (status !== 0) console.log(`apt-get ${args.join(' ')}: ${output.join(' ') || 'failed'}`);
  return status === 0;
}

main();
