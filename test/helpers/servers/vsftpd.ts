import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createFtpServerFolder, type FtpServer, ftpUser, inMountNamespace } from './ftp-server-folder.js';
import { findPrograms, freePorts, type MissingProgram, runProgram, startProgram } from './program.js';

/**
 * Resolves to whether a server greets, and ends a session when it is asked to. A connection that is closed before its greeting may make vsftpd
 * reset the next one, because the end of its process interrupts the server.
 */
function endsSession(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let isGreeted = false;
    socket.on('data', (data) => {
      if (!isGreeted && data.toString().startsWith('220')) socket.write('QUIT\r\n');
      isGreeted = true;
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(isGreeted));
  });
}

/**
 * Starts vsftpd, or returns what is missing. Its users are those of the system, by PAM. It therefore runs in its own mount namespace with
 * replaced user files, which needs root.
 */
export async function startVsftpd(settings: readonly string[] = []): Promise<FtpServer | MissingProgram> {
  const found = findPrograms('vsftpd', 'openssl');
  if ('missing' in found) return found;
  const { vsftpd, openssl } = found;
  const serverFolder = createFtpServerFolder();
  const { base, folder, certificatePath, isRoot } = serverFolder;
  if (!isRoot) return { missing: 'vsftpd needs root to run with test users' };
  const unshare = { path: '/usr/bin/unshare', env: {}, root: '/' };
  if (spawnSync(unshare.path, ['--mount', 'true']).status !== 0)
    return { missing: 'vsftpd needs a mount namespace, which this machine does not allow' };

  // Mounts the whole folder, because a mount over a single file is lost when another program replaces the file by a rename.
  const etc = join(base, 'etc');
  const empty = join(base, 'empty');
  for (const path of [etc, join(etc, 'pam.d'), empty]) mkdirSync(path, { mode: 0o755 });
  for (const name of ['group', 'nsswitch.conf', 'ld.so.cache', 'security', 'ssl'])
    if (existsSync(join('/etc', name)))
      cpSync(join('/etc', name), join(etc, name), { recursive: true, dereference: true });
  const hash = (await runProgram(openssl, ['passwd', '-6', ftpUser.password])).trim();
  const { name, uid, gid } = ftpUser;
  const others = ['root:x:0:0::/root:/bin/sh', 'nobody:x:65534:65534::/nonexistent:/bin/false'];
  const users = [...others, `${name}:x:${uid}:${gid}::${folder}:/bin/sh`];
  writeFileSync(join(etc, 'passwd'), `${users.join('\n')}\n`);
  writeFileSync(join(etc, 'shadow'), `${name}:${hash}:19000:0:99999:7:::\n`, { mode: 0o600 });
  const rules = [
    'auth required pam_unix.so nodelay',
    'account required pam_permit.so',
    'session required pam_permit.so',
  ];
  writeFileSync(join(etc, 'pam.d', 'venc-ftp'), `${rules.join('\n')}\n`);

  const [port = 0, implicitPort = 0] = await freePorts(2);
  const logPath = join(base, 'log');
  const common = [
    'listen=YES',
    'listen_ipv6=NO',
    'listen_address=127.0.0.1',
    'background=NO',
    'anonymous_enable=NO',
    'local_enable=YES',
    'write_enable=YES',
    'chroot_local_user=YES',
    'local_umask=022',
    'allow_writeable_chroot=YES',
    'pam_service_name=venc-ftp',
    `secure_chroot_dir=${empty}`,
    'seccomp_sandbox=NO',
    'isolate=NO',
    'isolate_network=NO',
    `vsftpd_log_file=${logPath}`,
    'xferlog_enable=YES',
    'log_ftp_protocol=YES',
    'ssl_enable=YES',
    'force_local_logins_ssl=NO',
    'force_local_data_ssl=NO',
    'require_ssl_reuse=YES',
    'ssl_ciphers=HIGH',
    'max_per_ip=0',
    'delay_failed_login=0',
    `rsa_cert_file=${certificatePath}`,
    ...settings,
  ];
  const start = async (name: string, at: number, more: readonly string[]) => {
    const path = join(base, `${name}.conf`);
    writeFileSync(path, `${[...common, `listen_port=${at}`, ...more].join('\n')}\n`);
    const args = inMountNamespace(serverFolder, [
      `mount --bind '${etc}' /etc`,
      `exec '${vsftpd.path}' '${path}'`,
    ]);
    // Sessions begin in clear text only without implicit TLS.
    return startProgram(unshare, { args, ready: more.length > 0 ? at : () => endsSession(at) });
  };
  const servers = [
    await start('plain', port, []),
    await start('implicit', implicitPort, ['implicit_ssl=YES']),
  ];
  const output = spawnSync('sh', ['-c', `'${vsftpd.path}' -v 0>&1 2>&1`], { encoding: 'utf8' }).stdout;
  return {
    version: `vsftpd ${/\d[\d.]+/.exec(output ?? '')?.[0] ?? ''}`.trim(),
    port,
    implicitPort,
    folder,
    root: folder,
    isRoot,
    log: () => (existsSync(logPath) ? readFileSync(logPath, 'utf8') : ''),
    signal: (name) => {
      for (const server of servers) server.signal(name);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.end()));
    },
  };
}
