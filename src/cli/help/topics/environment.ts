/** Environment variables that commands read, and their purpose. */
export const environmentRows: readonly (readonly [string, string])[] = [
  ['VENC_TARGET', 'the service to talk to, by its name in venc target list'],
  ['VENC_URL', 'address of the service to talk to'],
  ['VENC_API_KEY', 'the key for VENC_URL; for venc daemon, a key that it accepts'],
  [
    'VENC_DATABASE',
    'as --database: the database of the daemon, of venc migrate, and of venc accounts, keys and credentials',
  ],
  [
    'VENC_DATABASE_KEY',
    'the key of the secrets in the database; else the file database-key of the data folder',
  ],
  ['VENC_WORKER_TOKEN', 'the token of venc worker: a worker key of the daemon'],
  ['VENC_DATA', 'data folder of the local daemon'],
  ['VENC_FFMPEG', 'the ffmpeg to use'],
  ['VENC_FFPROBE', 'the ffprobe to use'],
  ['HTTPS_PROXY', 'or HTTP_PROXY, also in lower case: the HTTP proxy for remote services'],
  ['NO_PROXY', 'comma-separated hosts and domains that bypass the proxy; * for all'],
  ['NODE_EXTRA_CA_CERTS', 'a file with additional certificates to trust'],
  ['NO_COLOR', 'no colours'],
  ['TERM', 'dumb or not set: no colours and no animation'],
  ['CI', 'any value: no colours and no animation'],
  ['LC_ALL', 'then LC_CTYPE, LANG: if the locale is not UTF-8, bars and symbols are ASCII'],
  ['COLUMNS', 'the width of tables if there is no terminal'],
  ['XDG_CONFIG_HOME', 'base folder of the configuration (in its subfolder venc)'],
  ['XDG_DATA_HOME', 'base folder of the data folder (its subfolder venc)'],
];

/** Files and folders, and what they are for. */
export const fileRows: readonly (readonly [string, string])[] = [
  ['~/.config/venc/config.json', 'defaults of flags (venc config)'],
  ['~/.config/venc/targets.json', 'named services and their keys (venc target), readable only by you'],
  ['~/.local/share/venc', 'data folder of the local daemon'],
  ['~/.cache/venc', 'cached capabilities of ffmpeg'],
];

/** `venc help environment`. */
export function environmentTopic(): string {
  return `Environment variables; an empty variable counts as not set. Flags override them, and they
override the configuration.

${rows(environmentRows)}

venc-daemon(8) lists the variables of the daemon for buckets and servers.

Files and folders, on Linux:

${rows(fileRows)}
`;
}

function rows(all: readonly (readonly [string, string])[]): string {
  const width = Math.max(...all.map(([name]) => name.length));
  return all.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}
