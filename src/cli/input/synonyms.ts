/** A word that people type for one of ours: the word that it stands for, or, where that is not certain, a sentence that says what to type. */
export type Synonym =
  | { readonly is: string }
  | { readonly say: string }
  | { readonly perhaps: readonly string[] };

/**
 * Flags of other programs. `is`: the command takes it as the flag named, if it has that flag; `=value` is added. `perhaps`: flags to
 * suggest, as far as the command has them. `say`: a hint.
 */
export const flagSynonyms: Readonly<Record<string, Synonym>> = {
  '--codec': { is: '--video-codec' },
  '--vcodec': { is: '--video-codec' },
  '--acodec': { is: '--audio-codec' },
  '--fps': { is: '--frame-rate' },
  '--framerate': { is: '--frame-rate' },
  '--resolution': { is: '--size' },
  '-y': { is: '--force' },
  '--overwrite': { is: '--force' },
  '-q': { is: '--progress=none' },
  '--quiet': { is: '--progress=none' },
  '--silent': { is: '--progress=none' },
  '--bitrate': { perhaps: ['--video-bitrate', '--audio-bitrate'] },
  '--start': { perhaps: ['--start-clip'] },
  '--ss': { perhaps: ['--start-clip'] },
  '-ss': { perhaps: ['--start-clip'] },
  '--duration': { perhaps: ['--clip-length'] },
  '--end': { perhaps: ['--clip-length'] },
  '-t': { perhaps: ['--clip-length'] },
  '--scale': { perhaps: ['--size'] },
  '-s': { perhaps: ['--size'] },
  '-r': { perhaps: ['--frame-rate'] },
  '--gop': { perhaps: ['--keyframe-interval'] },
  '--mute': { perhaps: ['--skip-audio'] },
  '--no-audio': { perhaps: ['--skip-audio'] },
  '-an': { perhaps: ['--skip-audio'] },
  '--no-video': { perhaps: ['--skip-video'] },
  '-vn': { perhaps: ['--skip-video'] },
  '--limit': { perhaps: ['--per-page'] },
  '--name': { perhaps: ['--filename', '--label'] },
  '-o': { perhaps: ['--filename', '--download'] },
  '--format': { say: 'the extension of the file name selects the container: film.webm, film.mp4' },
  '--container': { say: 'the extension of the file name selects the container: film.webm, film.mp4' },
  '-i': { say: 'the input takes no flag: venc run film.mov' },
  '--crf': { say: '--quality takes 1 to 5 (5 is best); --video-bitrate sets a bitrate in kbit/s' },
  '-v': { say: '--debug shows where an error comes from; venc --version prints the version' },
  '--verbose': { say: '--debug shows where an error comes from' },
};

/** Hints for flags that mean one thing to one command and another to the next, by the name of the command and the flag. */
export const flagHints: Readonly<Record<string, string>> = {
  'run -q': '--progress none shows no progress; --quality sets the quality (1 to 5)',
  'submit -q': '--progress none shows no progress; --quality sets the quality (1 to 5)',
  'plan -q': 'venc plan shows no progress; --quality sets the quality (1 to 5)',
  'run -n': 'no file is overwritten without --force; --dry-run prints the command lines and runs none',
  'plan -n': 'venc plan runs nothing and overwrites nothing',
  'plan --dry-run': 'venc plan runs nothing',
  'submit -n': 'venc submit --mock has the service check the request and queue nothing',
  'submit --dry-run':
    '--mock has the service check the request and queue nothing; venc plan prints the ffmpeg command lines of a local file',
};

/** Flags that one command takes as another flag. */
export const commandFlagSynonyms: Readonly<Record<string, string>> = { 'list -n': '--per-page' };

/** Commands of other programs: `is` where there is one meaning and nothing is lost by it, else a hint. */
export const commandSynonyms: Readonly<Record<string, Synonym>> = {
  jobs: { is: 'list' },
  ls: { is: 'list' },
  ps: { is: 'list' },
  version: { is: '--version' },
  info: { is: 'show' },
  status: { say: 'venc list shows all jobs, venc show ID one of them, venc doctor the service' },
  logs: {
    say: 'venc show ID says why a job failed; the daemon writes its log to stderr, where venc daemon runs',
  },
  encode: { say: 'venc run encodes on this machine, venc submit has the service do it' },
  convert: { say: 'venc run encodes on this machine, venc submit has the service do it' },
  transcode: { say: 'venc run encodes on this machine, venc submit has the service do it' },
  get: { perhaps: ['download', 'show'] },
  fetch: { perhaps: ['download'] },
  upload: { perhaps: ['submit'] },
  create: { perhaps: ['submit'] },
  add: { perhaps: ['submit'] },
  stop: { perhaps: ['cancel'] },
  kill: { perhaps: ['cancel'] },
  retry: { perhaps: ['resubmit'] },
  rm: { perhaps: ['remove', 'revoke'] },
  remove: { perhaps: ['rm', 'revoke'] },
  delete: { perhaps: ['rm', 'remove', 'revoke'] },
  serve: { perhaps: ['daemon'] },
  server: { perhaps: ['daemon'] },
  start: { perhaps: ['daemon'] },
  login: { say: 'venc target add NAME URL keeps the address and the key of a service' },
};
