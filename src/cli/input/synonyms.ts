/**
 * What a flag or command of another program means here: `is` has one meaning, `alternatives` has several, and `use` is
 * a hint for what to type.
 */
export type Synonym =
  | { readonly is: string }
  | { readonly use: string }
  | { readonly alternatives: readonly string[] };

/**
 * Flags of other programs. `is`: the flag is replaced by this one if the command has it; `=value` is added.
 * `alternatives`: flags to suggest if the command has them. `use`: a hint.
 */
export const flagSynonyms: Readonly<Record<string, Synonym>> = {
  '--codec': { is: '--video-codec' },
  '--vcodec': { is: '--video-codec' },
  '--acodec': { is: '--audio-codec' },
  '-vcodec': { alternatives: ['--video-codec'] },
  '-acodec': { alternatives: ['--audio-codec'] },
  '--fps': { is: '--frame-rate' },
  '--framerate': { is: '--frame-rate' },
  '--resolution': { is: '--size' },
  '-y': { is: '--force' },
  '--overwrite': { is: '--force' },
  '--silent': { is: '--quiet' },
  '--bitrate': { alternatives: ['--video-bitrate', '--audio-bitrate'] },
  '--start': { alternatives: ['--start-clip'] },
  '--ss': { alternatives: ['--start-clip'] },
  '-ss': { alternatives: ['--start-clip'] },
  '--duration': { alternatives: ['--clip-length'] },
  '--end': { alternatives: ['--clip-length'] },
  '-t': { alternatives: ['--clip-length'] },
  '--scale': { alternatives: ['--size'] },
  '-s': { alternatives: ['--size'] },
  '-r': { alternatives: ['--frame-rate'] },
  '--gop': { alternatives: ['--keyframe-interval'] },
  '--mute': { alternatives: ['--skip-audio'] },
  '--no-audio': { alternatives: ['--skip-audio'] },
  '-an': { alternatives: ['--skip-audio'] },
  '--no-video': { alternatives: ['--skip-video'] },
  '-vn': { alternatives: ['--skip-video'] },
  '--limit': { alternatives: ['--per-page'] },
  '--name': { alternatives: ['--filename', '--label'] },
  '-o': { alternatives: ['--filename', '--download'] },
  '--format': { use: 'the extension of the file name selects the container: film.webm, film.mp4' },
  '--container': { use: 'the extension of the file name selects the container: film.webm, film.mp4' },
  '-i': { use: 'the input takes no flag: venc run film.mov' },
};

/** Hints for flags whose meaning depends on the command, by command and flag. */
export const flagHints: Readonly<Record<string, string>> = {
  'run -n': 'no file is overwritten without --force; --dry-run prints the command lines without running them',
  'plan -n': 'venc plan runs nothing and overwrites nothing',
  'plan --dry-run': 'venc plan runs nothing',
  'submit -n': 'venc submit --mock has the service check the request and queue nothing',
  'submit --dry-run':
    '--mock has the service check the request and queue nothing; venc plan prints the ffmpeg command lines of a local file',
};

/** Flags that one command replaces by another flag. */
export const commandFlagSynonyms: Readonly<Record<string, string>> = { 'list -n': '--per-page' };

/** Commands of other programs: `is` if there is exactly one safe meaning, otherwise suggestions or a hint. */
export const commandSynonyms: Readonly<Record<string, Synonym>> = {
  jobs: { is: 'list' },
  ls: { is: 'list' },
  ps: { is: 'list' },
  version: { is: '--version' },
  info: { is: 'show' },
  status: { use: 'venc list shows all jobs, venc show ID one of them, venc doctor the service' },
  log: { is: 'logs' },
  encode: { use: 'venc run encodes on this machine, venc submit has the service do it' },
  convert: { use: 'venc run encodes on this machine, venc submit has the service do it' },
  transcode: { use: 'venc run encodes on this machine, venc submit has the service do it' },
  get: { alternatives: ['download', 'show'] },
  fetch: { alternatives: ['download'] },
  upload: { alternatives: ['submit'] },
  create: { alternatives: ['submit'] },
  add: { alternatives: ['submit'] },
  stop: { alternatives: ['cancel'] },
  kill: { alternatives: ['cancel'] },
  retry: { alternatives: ['resubmit'] },
  resend: { alternatives: ['notify', 'resubmit'] },
  rm: { alternatives: ['remove', 'revoke'] },
  remove: { alternatives: ['rm', 'revoke'] },
  delete: { alternatives: ['rm', 'remove', 'revoke'] },
  serve: { alternatives: ['daemon'] },
  server: { alternatives: ['daemon'] },
  start: { alternatives: ['daemon'] },
  login: { use: 'venc target add NAME URL saves the address and the key of a service' },
};
