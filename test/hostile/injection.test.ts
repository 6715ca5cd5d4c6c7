import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import type { JobRecord } from '../../src/shared/records.js';
import { mapWithConcurrency } from '../../src/shared/util/semaphore.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { randomNumbers } from '../helpers/random.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { listRecursively, tempFolder } from '../helpers/temp.js';
import { waitUntilScratchIsEmpty } from '../helpers/wait-until.js';
import { atPath, injectedValues, type TextLeaf, textLeaves, valueFor } from './injected-settings.js';

/*
 * Gives values that would be options, filters or commands to every setting with a text. ffmpeg and ffprobe are wrapped in programs that
 * record their arguments.
 */

interface Context {
  daemon: TestDaemon;
  root: string;
  canary: string;
  /** The arguments of every start of a wrapped program. */
  commands: () => readonly (readonly string[])[];
}

const test = suite<Context>('injection');
const { seed, isLong } = suiteOptions();
const counted = { values: 0, accepted: 0, encoded: 0, commands: 0 };
/** The setting that becomes metadata of a track: all of its values are encoded. */
const titleField = 'caption_url.0.label';
const marker = 'content-of-the-canary';
const neverRead = new Date('2001-01-01T00:00:00Z');

test.before(async (context) => {
  const folder = tempFolder();
  const root = join(folder, 'root');
  const log = join(folder, 'log');
  for (const name of [root, log]) mkdirSync(name);
  await makeMedia(join(root, 'film.mp4'), film('64x48', 0.2));
  writeFileSync(join(root, 'a.srt'), '1\n00:00:00,000 --> 00:00:01,000\nshown\n');
  const canary = join(folder, 'canary.txt');
  writeFileSync(canary, marker);
  utimesSync(canary, neverRead, new Date());
  const [ffmpeg = '', ffprobe = ''] = await Promise.all(
    ['ffmpeg', 'ffprobe'].map((name) => recording(name, folder, log)),
  );
  const daemon = await startTestDaemon({ jobs: 2, filesRoots: [root], ffmpeg, ffprobe, maxOutputs: 100 });
  const commands = () =>
    readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8').split('\0').slice(0, -1));
  Object.assign(context, { daemon, root, canary, commands });
});
test.after(async ({ daemon }) => {
  await daemon?.stop();
  const { values, accepted, encoded, commands } = counted;
  printClosingLine('hostile/injection', [
    `${values} values for ${textLeaves().length} settings`,
    `${accepted} accepted`,
    `${encoded} outputs encoded`,
    `${commands} command lines`,
  ]);
});

/**
 * A program that records its arguments, each followed by a zero byte, and then runs the real one. The file is
 * not named by the process id, which a later start may get again.
 */
async function recording(name: string, folder: string, log: string): Promise<string> {
  const given = process.env[`VENC_${name.toUpperCase()}`];
  const [found = ''] = await findOnSearchPath(
    name,
    (process.env.PATH ?? '').split(delimiter).join(delimiter),
  );
  const path = join(folder, name);
  const record = `printf '%s\\0' "$@" > "$(mktemp '${log}'/XXXXXXXX)"`;
  writeFileSync(path, `#!/bin/sh\n${record}\nexec '${given ?? found}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Requests with a value for a setting: the setting, and what it needs to have an effect. */
function requestFor(leaf: TextLeaf, value: string, root: string): object {
  const given = valueFor(leaf, value, root);
  const filmUrl = `file://${root}/film.mp4`;
  const [first = ''] = leaf.path;
  if (leaf.isOfJob) {
    const hook = first === 'notifications' ? { url: 'http://127.0.0.1:9/hook' } : {};
    const fields = atPath(leaf.path, given, leaf.path.at(-1) === 'url' ? {} : hook);
    return { input: filmUrl, outputs: [{ width: 32 }], ...fields };
  }
  const required: Readonly<Record<string, object>> = {
    access_control: { permission: 'READ' },
    notifications: { url: 'http://127.0.0.1:9/hook' },
    thumbnails: { number: 1 },
    watermark: { url: `file://${root}/mark.png` },
    caption_url: { url: `file://${root}/a.srt` },
    streams: { source: 'rendition', path: 'rendition.m3u8' },
    alternate_audio: { source: 'rendition', path: 'rendition.m3u8', group: 'a', name: 'a', language: 'de' },
    captions: { source: 'rendition', path: 'rendition.m3u8', name: 'a', language: 'de' },
  };
  const output = atPath(leaf.path, given, required[first]);
  const isOfPlaylist = ['streams', 'alternate_audio', 'captions', 'smil_base_url'].includes(String(first));
  if (isOfPlaylist) {
    const rendition = { label: 'rendition', type: 'segmented', width: 32 };
    const streams = [required.streams];
    return { input: filmUrl, outputs: [rendition, { type: 'playlist', label: 'list', streams, ...output }] };
  }
  const effects: Readonly<Record<string, object>> = {
    caption_url: { format: 'mkv' },
    encryption_key: { type: 'segmented', encryption_method: 'aes-128' },
    encryption_key_url: { type: 'segmented', encryption_method: 'aes-128' },
    encryption_key_url_prefix: { type: 'segmented', encryption_method: 'aes-128' },
    encryption_iv: { type: 'segmented', encryption_method: 'aes-128' },
    keyframe_manifest_filename: { type: 'segmented', generate_keyframe_manifest: true },
  };
  return { input: filmUrl, outputs: [{ width: 32, ...effects[first], ...output }] };
}

async function create(daemon: TestDaemon, request: object): Promise<number | null> {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(request) });
  const text = await response.text();
  assert.ok(
    [201, 422].includes(response.status),
    `${response.status} ${text} for ${JSON.stringify(request)}`,
  );
  return response.status === 201 ? Number((JSON.parse(text) as { id: string | null }).id) : null;
}

test('no value of a text setting is read as an option, a filter or a command', async (context) => {
  const { daemon, root, canary, commands } = context;
  const values = injectedValues(canary);
  const random = randomNumbers(seed);
  const accepted = await mapWithConcurrency(textLeaves(), 4, async (leaf) => {
    const requests = values.map((value) => requestFor(leaf, value, root));
    const isAccepted: boolean[] = [];
    for (const request of requests) {
      isAccepted.push((await create(daemon, { ...request, mock: true })) !== null);
      counted.values += 1;
    }
    const valid = requests.filter((_, index) => isAccepted[index]);
    counted.accepted += valid.length;
    // The short form runs some of them.
    return isLong || leaf.path.join('.') === titleField ? valid : shuffled(valid, random).slice(0, 2);
  });
  const jobs = await mapWithConcurrency(accepted.flat(), 4, async (request) => {
    const id = await create(daemon, request);
    return id === null ? null : { request, job: await daemon.waitForJob(id) };
  });
  const ended = jobs.flatMap((one) => one ?? []);
  counted.encoded = ended.flatMap(({ job }) =>
    job.output_media_files.filter(({ state }) => state === 'finished'),
  ).length;
  assert.ok(counted.encoded > 20, 'most accepted values are encoded');
  for (const { request, job } of ended) assert.is(crashed(job), null, JSON.stringify(request));

  const lines = commands();
  counted.commands = lines.length;
  assert.ok(lines.length > counted.encoded);
  const violations = lines.flatMap((args) =>
    args.flatMap((arg, index) => {
      const option = args[index - 1] ?? '';
      if (isHostile(arg, canary) && !isPlainValue(option, arg, daemon.dataFolder))
        return [`${option} ${arg}`];
      if (option === '-i' && !/^(?:file:|testsrc|color|anullsrc)/.test(arg)) return [`-i ${arg}`];
      return [];
    }),
  );
  assert.equal(violations, []);
  const titles = new Set(lines.flat().filter((arg) => arg.startsWith('title=')));
  for (const value of [`-i ${canary}`, `a;movie=${canary}[a];[a]null`, `"$(cat ${canary})"`])
    assert.ok(titles.has(`title=${value}`), `${value} is one argument`);
  assert.is(statSync(canary).atimeMs, neverRead.getTime(), 'the canary was not read');
  assert.equal(
    readdirSync(join(canary, '..')).filter((name) => name.startsWith('canary')),
    ['canary.txt'],
  );
  await waitUntilScratchIsEmpty(daemon.dataFolder);
  // A job's file moves until the journal is empty.
  await daemon.stop();
  for (const folder of [daemon.dataFolder, root])
    for (const name of await listRecursively(folder)) {
      const path = join(folder, name);
      if (statSync(path).isFile()) assert.not.ok(readFileSync(path).includes(marker), path);
    }
  assert.not.match(daemon.logLines.join('\n'), marker);
});

/** The error of an output that no value of a text may cause; null if there is none. */
function crashed({ output_media_files }: JobRecord): string | null {
  const classes = output_media_files.map(({ error_class }) => error_class ?? '');
  return classes.find((one) => /^(?:Internal|EncoderCrash|Unknown)/.test(one)) ?? null;
}

function isHostile(arg: string, canary: string): boolean {
  return arg.includes(canary) || /%\{|%03d|\$\(|;cat|\u2028|‮/.test(arg);
}

/** Whether an argument is the value of metadata as a whole, or a file in the scratch folder that is named literally. */
function isPlainValue(option: string, arg: string, dataFolder: string): boolean {
  return (
    (option.startsWith('-metadata') && /^(?:title|handler_name|language)=/.test(arg)) ||
    arg.startsWith(`file:${dataFolder}/scratch/`)
  );
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

test.run();
