/** Environment variables that commands heed, and what for. */
export const environmentRows: readonly (readonly [string, string])[] = [
  ['VENC_TARGET', 'the service to talk to, by its name in venc target list'],
  ['VENC_URL', 'address of the service to talk to'],
  ['VENC_API_KEY', 'the key for VENC_URL; for venc daemon, a key that it takes'],
  ['VENC_DATA', 'data folder of the local daemon'],
  ['VENC_FFMPEG', 'the ffmpeg to use'],
  ['VENC_FFPROBE', 'the ffprobe to use'],
  ['HTTPS_PROXY', 'or HTTP_PROXY, in small letters too: the HTTP proxy to services elsewhere'],
  ['NO_PROXY', 'hosts and domains, with commas between, to be reached without it; * for all'],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates to trust beside the usual ones'],
  ['NO_COLOR', 'no colours'],
  ['TERM', 'dumb, or not set: no colours, and nothing that moves'],
  ['CI', 'the same, whatever it is set to'],
  ['LC_ALL', 'then LC_CTYPE, LANG: a locale that is not of UTF-8 gets bars and marks in ASCII'],
  ['COLUMNS', 'how wide tables are where there is no terminal'],
  ['XDG_CONFIG_HOME', 'where the configuration lies, in the folder venc'],
  ['XDG_DATA_HOME', 'where the data folder lies, under the name venc'],
];

/** Files and folders, and what they are for. */
export const fileRows: readonly (readonly [string, string])[] = [
  ['~/.config/venc/config.json', 'defaults of flags (venc config)'],
  ['~/.config/venc/targets.json', 'named services and their keys (venc target), for you alone'],
  ['~/.local/share/venc', 'data folder of the local daemon'],
  ['~/.cache/venc', 'what ffmpeg answered about itself'],
];

/** `venc help environment`. */
export function environmentTopic(): string {
  return `Environment variables; one that is set to nothing counts as not set. Flags win over them, and
they win over what is configured.

${rows(environmentRows)}

What the daemon takes from its environment for buckets and servers is in venc-daemon(8).

Files and folders, on Linux:

${rows(fileRows)}
`;
}

function rows(all: readonly (readonly [string, string])[]): string {
  const width = Math.max(...all.map(([name]) => name.length));
  return all.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}
