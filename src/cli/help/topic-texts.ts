import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { stateLines } from '../../shared/state-texts.js';

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

/** `venc help states`. */
export function statesTopic(): string {
  return `The states of jobs and their files, as list, show and watch print them:

${stateLines()
  .map((line) => `  ${line}`)
  .join('\n')}

The input of a job is fetched ahead while another job is encoded. Such a job is queued: the
service calls it processing, and JSON has that word. pending and assigning are states of other
services: the job is accepted, or is given to a machine.

How many jobs are encoded at once is set with venc daemon --jobs. A pause (venc pause) keeps jobs
in waiting or queued. venc priority and venc next change the order of waiting jobs.
`;
}

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

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  jobFailed: 'the job failed or was cancelled; doctor: something required is missing',
  usage: 'wrong usage, an unreadable file, or a request that the service rejected',
  unreachable: 'the service could not be reached or had an internal error',
  unauthorized: 'the key is missing or was rejected',
  notFound: 'no such job, input or output',
  conflict: 'not possible in this state; daemon: its port or data folder is in use',
  timedOut: 'timed out',
  interrupted: 'interrupted',
};

/** What each exit code means, by its number. */
export function exitCodeRows(): readonly (readonly [ExitCode, string])[] {
  return Object.entries(exitCodes).map(([name, code]) => [code, meaningOf(name)]);
}

function meaningOf(name: string): string {
  return Object.entries(meanings).find(([one]) => one === name)?.[1] ?? '';
}

/** `venc help exit-codes`. */
export function exitCodesTopic(): string {
  const rows = exitCodeRows().map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `Every command ends with one of these codes:

${rows.join('\n')}

wait, watch and submit --wait end with 0 only when every job finished; with --any the first one
to end decides. Commands that take several ids continue after an error, report each, and end
with the first code that was not 0. Closing the pipe early (venc list | head -1) is not an error.

  if venc submit film.mov --wait --download out; then
    echo encoded
  else
    case $? in
      1) echo 'the film could not be encoded' ;;
      3) echo 'the service is unreachable: try again later' ;;
    esac
  fi
`;
}

/** `venc help requests`. */
export const requestsTopic = `A request describes an input and its outputs. It is the JSON body of POST /v2/jobs:

  {
    "input": "https://example.com/film.mov",
    "outputs": [
      {"label": "web", "filename": "web.mp4", "width": 1280},
      {"label": "audio", "filename": "audio.mp3"}
    ]
  }

From a file (.json, .xml) or from stdin, by submit, run and plan:

  venc submit request.json
  venc submit a.json b.json film.mov        a job for each
  jq '.test = true' request.json | venc submit -
  venc submit - --xml < request.xml
  venc submit - --ndjson < jobs.ndjson      one request per line

A flag overrides the request, and --output overrides a flag. Flags apply to every output; each
--output adds an output with its own settings:

  venc submit film.mov --quality 4 --output filename=web.mp4 \\
    --output filename=small.mp4,width=640
  venc submit film.mov --output @small.json \\
    --output '{"filename": "web.mp4", "width": 1280}'

In name=value,name=value, put a value with a comma in double quotes: 'label="a, b"'.
Other users of the machine can see arguments: pass requests with passwords through stdin.

venc plan prints the ffmpeg commands for a request on this machine; venc submit --mock has
the service validate it without queueing anything.
`;

/** `venc help services`. */
export const servicesTopic = `Commands talk to one service. The first of these that is set selects it:

  --target NAME                  a service that venc target add has given a name
  VENC_TARGET                    the same, for a whole script
  VENC_URL with VENC_API_KEY     an address and its key
  venc target use NAME           the configured target
  venc config set url ADDRESS    the configured address, with VENC_API_KEY
  the local daemon               found through its data folder; start it with: venc daemon

The name local always means the local daemon. Keys are read from stdin or prompted for; there is
no flag for them:

  venc target add studio https://encoding.example.com < key.txt
  venc list --target studio
  VENC_TARGET=studio venc submit film.mov --wait

The key is sent in the header Service-Api-Key. Only if a service answers 401 to a read, a cancel
or a resubmit is the request repeated with api_key in the query; a named target saves this.

Any service with Zencoder's API works, and its address may end in /v2 or not. If the service
lacks a feature (event streams, uploads, states in lists), venc works around it or reports it.
venc doctor checks whether the service answers and accepts the key.
`;

/** `venc help recipes`. */
export const recipesTopic = `Encode a folder of films on this machine, one after the other:

  for film in in/*.mov; do
    venc run "$film" -o "out/$(basename "$film" .mov).mp4" ||
      echo "$film" >> failed.txt
  done

The same through the daemon, which queues the jobs and runs them in parallel:

  for film in in/*.mov; do venc submit "$film"; done > ids.txt
  xargs venc wait < ids.txt
  xargs venc download -o out < ids.txt

List the failed jobs and their errors, with jq:

  venc list --state failed --json | jq -r '.[] |
    [.id, .input_media_file.error_message,
     .output_media_files[].error_message] | @tsv'

Resubmit all failed jobs after a failure of a service:

  venc resubmit --state failed --yes

From cron, without progress and with output only on errors:

  15 3 * * * venc submit /srv/today.mov --wait --progress none >/dev/null

Three sizes of one film in one job:

  venc submit film.mov --output filename=a.mp4,height=1080 \\
    --output filename=b.mp4,height=720 \\
    --output filename=c.mp4,height=360

The same settings for many films, saved under a name:

  venc preset save mine --video-codec vp9 --height 720 --quality 4
  venc submit film.mov --preset mine

Settings that come with venc; venc preset list shows all of them:

  venc run film.mov --preset small --target-size 8MB
`;
