import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createFtpServerFolder, type FtpServer, ftpUser, inMountNamespace } from './ftp-server-folder.js';
import { findPrograms, freePorts, type MissingProgram, runProgram, startProgram } from './program.js';

/** Starts proftpd with its own user file, or returns what is missing. As root it has a full volume. */
export async function startProftpd(directives: readonly string[] = []): Promise<FtpServer | MissingProgram> {
  const found = findPrograms('proftpd', 'openssl');
  if ('missing' in found) return found;
  const { proftpd, openssl } = found;
  const serverFolder = createFtpServerFolder();
  const { base, folder, certificatePath, isRoot } = serverFolder;
  const { uid, gid } = isRoot ? ftpUser : userInfo();
  const users = join(base, 'users');
  const hash = (await runProgram(openssl, ['passwd', '-6', ftpUser.password])).trim();
  writeFileSync(users, `${ftpUser.name}:${hash}:${uid}:${gid}::${folder}:/bin/sh\n`, { mode: 0o600 });

  const [port = 0, implicitPort = 0] = await freePorts(2);
  const logPath = join(base, 'log');
  const tls = (options: string) => [
    'TLSEngine on',
    'TLSRequired off',
    `TLSECCertificateFile ${certificatePath}`,
    `TLSECCertificateKeyFile ${certificatePath}`,
    // Without it, each connection reads all authorities of the system.
    `TLSCACertificateFile ${certificatePath}`,
    `TLSLog ${logPath}`,
    'TLSVerifyClient off',
    ...(options === '' ? [] : [`TLSOptions ${options}`]),
  ];
  const common = [
    `AuthUserFile ${users}`,
    'AuthOrder mod_auth_file.c',
    'RequireValidShell off',
    'AllowOverwrite on',
    'AllowStoreRestart on',
    'AllowRetrieveRestart on',
    'WtmpLog off',
    ...directives,
  ];
  const path = join(base, 'proftpd.conf');
  const lines = [
    'ServerName test',
    'ServerType standalone',
    'UseReverseDNS off',
    // It would delay every login, so that its duration does not say whether a user exists.
    'DelayEngine off',
    `ModulePath ${join(proftpd.root, 'usr/lib/proftpd')}`,
    'LoadModule mod_tls.c',
    'DefaultAddress 127.0.0.1',
    'SocketBindTight on',
    `Port ${port}`,
    ...(isRoot ? ['User nobody', 'Group nogroup'] : []),
    `PidFile ${join(base, 'pid')}`,
    `ScoreboardFile ${join(base, 'scoreboard')}`,
    `SystemLog ${logPath}`,
    `TransferLog ${join(base, 'transfers')}`,
    `ExtendedLog ${join(base, 'commands')} ALL`,
    ...common,
    ...tls(''),
    '<VirtualHost 127.0.0.1>',
    `Port ${implicitPort}`,
    ...common,
    ...tls('UseImplicitSSL'),
    '</VirtualHost>',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  const args = ['--nodaemon', '--config', path];
  const unshare = { path: '/usr/bin/unshare', env: proftpd.env, root: '/' };
  const hasMounts = isRoot && spawnSync(unshare.path, ['--mount', 'true']).status === 0;
  const server = hasMounts
    ? await startProgram(unshare, {
        args: inMountNamespace(serverFolder, [`exec '${proftpd.path}' ${args.join(' ')}`]),
        ready: port,
      })
    : await startProgram(proftpd, { args, ready: port });
  const version = await runProgram(proftpd, ['--version']).catch(() => '');
  return {
    version: `proftpd ${/\d[\d.]+\w*/.exec(version)?.[0] ?? ''}`.trim(),
    port,
    implicitPort,
    folder,
    root: '/',
    isRoot: hasMounts,
    log: () =>
      [logPath, join(base, 'commands')]
        .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
        .join('\n'),
    signal: (name) => server.signal(name),
    close: () => server.end(),
  };
}
