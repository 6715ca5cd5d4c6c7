/** A server program that tests start, and its Debian package. */
export interface ServerProgram {
  readonly package: string;
  /**
   * Packages that are unpacked into a folder instead of being installed, including the program's own: Debian allows only one FTP server
   * on a machine.
   */
  readonly unpacked?: readonly string[];
}

/** Every program of {@link findProgram}, by its name. */
export const serverPrograms = {
  nginx: { package: 'nginx' },
  curl: { package: 'curl' },
  aria2c: { package: 'aria2' },
  vsftpd: { package: 'vsftpd' },
  proftpd: {
    package: 'proftpd-core',
    unpacked: [
      'proftpd-core',
      'proftpd-mod-crypto',
      'libhashkit2',
      'libhiredis0.14',
      'libmemcached11',
      'libmemcachedutil2',
      'libpcre2-posix3',
    ],
  },
  sshd: { package: 'openssh-server' },
  'sftp-server': { package: 'openssh-sftp-server' },
  sftp: { package: 'openssh-client' },
  ssh: { package: 'openssh-client' },
  'ssh-keygen': { package: 'openssh-client' },
  sshpass: { package: 'sshpass' },
  lftp: { package: 'lftp' },
  openssl: { package: 'openssl' },
  ip: { package: 'iproute2' },
  chromium: { package: 'chromium' },
  memcached: { package: 'memcached' },
  'swift-ring-builder': { package: 'swift' },
  'swift-proxy-server': { package: 'swift-proxy' },
  'swift-account-server': { package: 'swift-account' },
  'swift-container-server': { package: 'swift-container' },
  'swift-object-server': { package: 'swift-object' },
} as const satisfies Record<string, ServerProgram>;

/** Name of a server program. */
export type ServerProgramName = keyof typeof serverPrograms;

/** All names, typed. */
export const serverProgramNames = Object.keys(serverPrograms) as readonly ServerProgramName[];

/** Returns the package of a program. */
export function programNamed(name: ServerProgramName): ServerProgram {
  return serverPrograms[name];
}
