import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, isMet, markdownOf, tableOf } from './measure.js';

interface Measure {
  readonly what: string;
  /** Default of `--rounds`. */
  readonly rounds: number;
  /** Whether it runs only if it is named. */
  readonly isOptional?: true;
  readonly load: () => Promise<
    (folder: string, rounds: number, clips: readonly string[]) => Promise<readonly Figure[]>
  >;
}

const measures = {
  startup: {
    what: 'duration of commands, compared with bare Node',
    rounds: 21,
    load: async () => (await import('./startup.js')).measureStartup,
  },
  watch: {
    what: 'first frame of venc watch, compared with bare Node, and its processor time for fifty jobs',
    rounds: 11,
    load: async () => (await import('./watch.js')).measureWatch,
  },
  'one-job': {
    what: 'a job of the daemon, compared with the same ffmpeg command by hand',
    rounds: 5,
    load: async () => (await import('./one-job.js')).measureOneJob,
  },
  containment: {
    what: 'an encode and a probe with limits and sandbox, compared with the same commands by hand',
    rounds: 7,
    load: async () => (await import('./containment.js')).measureContainment,
  },
  ladder: {
    what: 'three sizes in one job, compared with three successive encodes',
    rounds: 5,
    load: async () => (await import('./ladder.js')).measureLadder,
  },
  'quality-ladder': {
    what: 'renditions of --hls and of --ladder auto, measured by an independent command; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality-ladder.js')).measureLadderByContent,
  },
  clip: {
    what: 'a clip from the end of a long film, compared with one from its beginning',
    rounds: 7,
    load: async () => (await import('./clip.js')).measureClip,
  },
  store: {
    what: 'create, read and list with 100, 1,000 and 10,000 jobs',
    rounds: 101,
    load: async () => (await import('./store.js')).measureStore,
  },
  queue: {
    what: 'the order of 100,000 waiting jobs: next, remove, new jobs',
    rounds: 21,
    load: async () => (await import('./waiting-jobs.js')).measureWaitingJobs,
  },
  http: {
    what: 'requests per second with 100 and 10,000 jobs, compared with a bare Hono app',
    rounds: 21,
    load: async () => (await import('./http.js')).measureHttp,
  },
  'http-cost': {
    what: 'processor time of requests, and creates on a disk in memory, compared with a bare Hono app',
    rounds: 5,
    load: async () => (await import('./http-cost.js')).measureHttpCost,
  },
  'http-encoding': {
    what: 'slowest progress requests while four jobs are encoded',
    rounds: 7,
    load: async () => (await import('./http-encoding.js')).measureHttpWhileEncoding,
  },
  eta: {
    what: 'error of the estimated time left of an encode',
    rounds: 3,
    load: async () => (await import('./eta.js')).measureEta,
  },
  sftp: {
    what: 'a file of 400 MB from and to an SFTP server, compared with sftp of OpenSSH',
    rounds: 5,
    load: async () => {
      const { measureSftp } = await import('./sftp.js');
      return (folder, rounds) => measureSftp(folder, rounds);
    },
  },
  ftp: {
    what: 'a file of 400 MB from and to an FTP server, compared with curl',
    rounds: 5,
    load: async () => {
      const { measureFtp } = await import('./ftp.js');
      return (folder, rounds) => measureFtp(folder, rounds);
    },
  },
  pipeline: {
    what: 'eight jobs whose downloads take as long as their encodes, compared with only the encodes',
    rounds: 3,
    load: async () => (await import('./pipeline.js')).measurePipeline,
  },
  download: {
    what: 'downloads over HTTP, compared with curl (full speed) and aria2c (limited)',
    rounds: 7,
    load: async () => (await import('./download.js')).measureDownload,
  },
  copy: {
    what: 'jobs that copy a local film and deliveries to a folder, compared with cp, sync and md5sum',
    rounds: 5,
    load: async () => (await import('./copy.js')).measureCopy,
  },
  remux: {
    what: 'venc run --copy of 1 GB, compared with ffmpeg -c copy; ten tracks of audio, with the same command by hand',
    rounds: 5,
    load: async () => (await import('./remux.js')).measureRemux,
  },
  s3: {
    what: 'a file of 500 MB to an S3 server, compared with the SDK',
    rounds: 3,
    load: async () => (await import('./s3.js')).measureS3,
  },
  streams: {
    what: 'segmented outputs: cutting, compared with cp; a ladder, with MP4 files; 500 uploads, with the SDK; memory',
    rounds: 5,
    load: async () => (await import('./streams.js')).measureStreams,
  },
  memory: {
    what: 'peak memory of a daemon for 2 GB in and 2 GB out',
    rounds: 1,
    load: async () => (await import('./memory.js')).measureMemory,
  },
  history: {
    what: 'memory and start of a daemon with 100,000 finished jobs',
    rounds: 5,
    load: async () => (await import('./history.js')).measureHistory,
  },
  'history-million': {
    what: 'the same with a million, in 5 GB of files; only if it is named',
    rounds: 3,
    isOptional: true,
    load: async () => (await import('./history.js')).measureLongHistory,
  },
  waiting: {
    what: 'start of a daemon with 100,000 waiting jobs, compared with an empty one',
    rounds: 5,
    load: async () => (await import('./history.js')).measureWaiting,
  },
  paused: {
    what: 'processor time of a paused daemon with 10,000 waiting jobs',
    rounds: 3,
    load: async () => (await import('./paused.js')).measurePaused,
  },
  workers: {
    what: 'remote workers: three compared with one, one compared with the daemon itself, and the cost of a thousand idle ones',
    rounds: 3,
    load: async () => (await import('./workers.js')).measureWorkers,
  },
  database: {
    what: 'daemons on a PostgreSQL database: creates, compared with a data folder, reads meanwhile, and claims with 100,000 waiting jobs',
    rounds: 5,
    load: async () => (await import('./database.js')).measureDatabase,
  },
  footprint: {
    what: 'source files and functions that run for a request, a job and a command',
    rounds: 1,
    load: async () => (await import('./footprint.js')).measureFootprint,
  },
  size: {
    what: 'lines, files, exports and importers of the code, by module',
    rounds: 1,
    load: async () => (await import('./code-size.js')).measureCodeSize,
  },
  quality: {
    what: 'outputs with a quality_target, measured by an independent command; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality.js')).measureQuality,
  },
  'quality-codecs': {
    what: 'the same with hevc and av1; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality.js')).measureQualityOfCodecs,
  },
  'quality-sizes': {
    what: 'outputs with a target_size; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality-damage.js')).measureTargetSizes,
  },
  'quality-damage': {
    what: 'damaged outputs that venc compare sees; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality-damage.js')).measureDamage,
  },
  'quality-long': {
    what: 'the search and the check of a film of ten minutes, compared with its encode; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality-long.js')).measureLongSearch,
  },
  'quality-levels': {
    what: 'the scores of --quality 1 to 5; only if it is named',
    rounds: 1,
    isOptional: true,
    load: async () => (await import('./quality.js')).measureQualityLevels,
  },
  rest: {
    what: 'memory of an idle daemon',
    rounds: 3,
    load: async () => (await import('./memory.js')).measureIdle,
  },
} as const satisfies Record<string, Measure>;

type MeasureName = keyof typeof measures;

const help = `npm run bench -- [NAME...] [--rounds N] [--save FILE.md] [--clips WORD,WORD]\n\n${Object.entries(
  measures,
)
  .map(([name, { what, rounds }]) => `  ${name.padEnd(15)} ${what} (${rounds} rounds)`)
  .join('\n')}\n`;

/**
 * Runs the measurements, prints the table and saves it as JSON. A missed target does not fail the run; a failed
 * measurement does.
 */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      save: { type: 'string' },
      /** The clips of the quality benchmarks whose names begin with one of these words. */
      clips: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(measures, name));
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  if (values.help || unknown.length > 0 || (rounds !== null && !(Number.isInteger(rounds) && rounds > 0))) {
    process.stderr.write(help);
    return values.help ? 0 : 2;
  }
  const names = (positionals.length > 0 ? positionals : usualNames()) as MeasureName[];
  const clips = values.clips?.split(',') ?? [];
  const figures: Figure[] = [];
  let isBroken = false;
  for (const name of names) {
    try {
      figures.push(...(await measured(name, rounds ?? measures[name].rounds, clips)));
    } catch (error) {
      isBroken = true;
      console.error(`${name} could not be measured:`, error);
    }
  }
  if (figures.length > 0) console.log(tableOf(figures));
  await saveResults(figures);
  if (values.save !== undefined) await writeFile(values.save, markdownOf(figures));
  return isBroken ? 1 : 0;
}

function usualNames(): readonly string[] {
  const all = Object.entries<Measure>(measures);
  return all.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name);
}

async function measured(
  name: MeasureName,
  rounds: number,
  clips: readonly string[],
): Promise<readonly Figure[]> {
  console.error(`${name}: ${measures[name].what}, ${rounds} rounds ...`);
  const folder = await mkdtemp(join(tmpdir(), 'venc-bench-'));
  try {
    const { load }: Measure = measures[name];
    const measure = await load();
    return await measure(folder, rounds, clips);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function saveResults(figures: readonly Figure[]): Promise<void> {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
  };
  const results = {
    at: new Date().toISOString(),
    ...machine,
    figures: figures.map((figure) => ({ ...figure, isMet: isMet(figure) })),
  };
  await mkdir('bench/results', { recursive: true });
  await writeFile('bench/results/latest.json', `${JSON.stringify(results, null, 2)}\n`);
}

process.exitCode = await main();
