import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { draftJob } from '../../../daemon/jobs/draft.js';
import type { Job } from '../../../daemon/jobs/job.js';
import { audioEncoders } from '../../../daemon/plan/audio-encoders.js';
import { checkCombination } from '../../../daemon/plan/check-combination.js';
import { withDeviceProfile } from '../../../daemon/plan/device-profiles.js';
import { videoEncoders } from '../../../daemon/plan/encoders.js';
import { containers } from '../../../daemon/plan/formats.js';
import { waitingJobOf } from '../../../daemon/queue/parts/job-parts.js';
import { supportedParts, toCapabilities } from '../../../daemon/queue/parts/part-selection.js';
import { type OutputSettings, outputTable } from '../../../src/shared/settings/index.js';
import { parseJobRequest } from '../../../src/shared/settings/parse-job-request.js';
import type { Setting } from '../../../src/shared/settings/setting.js';
import { fileNameInUrl } from '../../../src/shared/text/url-text.js';
import { createChoices } from '../../helpers/fuzz/choices.js';
import { valueFor } from '../../helpers/fuzz/valid-values.js';

const test = suite('the needs of waiting jobs');

const everything = {
  version: 7,
  encoders: [...Object.keys(videoEncoders), ...Object.keys(audioEncoders)],
  filters: ['ass', 'subtitles', 'libvmaf'],
  muxers: [...new Set(Object.values(containers).map(({ muxer }) => muxer))],
  hasFpsMode: true,
};

/** Builds of ffmpeg that lack one thing, and old ones. */
const builds = [
  everything,
  { ...everything, version: 5.1 },
  { ...everything, version: 4, hasFpsMode: false },
  { ...everything, version: null, filters: [] },
  ...(['encoders', 'muxers'] as const).flatMap((kind) =>
    everything[kind].map((name) => ({
      ...everything,
      version: 5.1,
      [kind]: everything[kind].filter((other) => other !== name),
    })),
  ),
];

const bases: readonly object[] = [
  { filename: 'film.mp4' },
  { filename: 'film.mkv', video_codec: 'av1' },
  { format: 'mp4', video_codec: 'hevc', filename: 'film' },
  {
    ...{ filename: 'film.mp4', video_codec: 'av1', hdr_format: 'hdr10' },
    ...{ max_content_light_level: 1000, max_frame_average_light_level: 400 },
  },
  { filename: 'film.webm', hint: true },
  { filename: 'song.ogg', skip_video: true },
  { type: 'segmented', filename: 'film.m3u8', encryption_method: 'aes-128-cbc' },
];

const repetitions = 3;

function parse(output: object): OutputSettings | null {
  const isRendition = 'dynamic_profile_rendition' in output;
  const parsed = parseJobRequest(
    { input: 'http://127.0.0.1/a.mp4', generate_dynamic_profile: isRendition, outputs: [output] },
    { maxOutputs: 1 },
  );
  return parsed.ok ? withDeviceProfile(parsed.request.outputs[0] ?? {}) : null;
}

function jobOf(...outputs: readonly OutputSettings[]): Job {
  return draftJob({
    accountId: 'a',
    request: { input: 'http://127.0.0.1/a.mp4', outputs: [] },
    test: false,
    outputs: outputs.map((settings) => {
      const url = settings.url ?? `hosted://token/${settings.filename ?? 'file.mp4'}`;
      return { settings, outputDestination: { destination: url, url } };
    }),
    now: new Date(),
  }).number(1);
}

/** Whether a build has what an output needs, by all of its settings. */
function hasAll(settings: OutputSettings, job: Job, build: (typeof builds)[number]): boolean {
  const name = fileNameInUrl(job.outputs[0]?.destination ?? '');
  return checkCombination(settings, name, toCapabilities(build), 'output').ok;
}

/** Settings that need another output, or that seldom have a valid value here. */
const unprovable: readonly string[] = ['source', 'encryption_key', 'encryption_iv'];

/** Settings that change the class of a job. */
const decisive: readonly string[] = [
  ...['audio_codec', 'copy_audio', 'copy_video', 'device_profile', 'dynamic_profile_rendition', 'filename'],
  'forced_keyframe_interval',
  ...[
    'forced_keyframe_rate',
    'format',
    'hdr',
    'hdr_format',
    'hint',
    'measure_quality',
    'packaging',
    'prepare_for_segmenting',
    'preserve_hdr_metadata',
    'quality_target',
    'requires',
  ],
  ...['skip_audio', 'skip_captions', 'skip_video', 'streaming_delivery_format', 'subtitles', 'tuning'],
  ...['type', 'url', 'video_bit_depth', 'video_codec', 'video_codec_profile'],
];

test('hold only settings that decide which build of ffmpeg has what a job needs', () => {
  const choices = createChoices(1);
  const proven = new Set<string>();
  const changing = new Set<string>();
  const answers = { yes: 0, no: 0 };
  for (const [name, setting] of Object.entries(outputTable) as [keyof OutputSettings, Setting][])
    for (const base of bases) {
      const without = waitingJobOf(jobOf(parse(base) ?? {}));
      for (let count = 0; count < repetitions; count += 1) {
        const settings = parse({ ...base, [name]: valueFor(setting, choices) });
        if (settings === null || ['transfer-only', 'playlist', 'captions'].includes(settings.type ?? ''))
          continue;
        const job = jobOf(settings);
        if (!hasAll(settings, job, everything)) continue;
        const waiting = waitingJobOf(job);
        proven.add(name);
        if (waiting.needsKey !== without.needsKey) changing.add(name);
        for (const capabilities of builds) {
          const made = supportedParts({ labels: new Set(settings.requires), capabilities }, waiting);
          const answer = made.every(({ isSupported }) => isSupported);
          answers[answer ? 'yes' : 'no'] += 1;
          assert.is(answer, hasAll(settings, job, capabilities), `${name}: ${JSON.stringify(settings)}`);
        }
      }
    }
  assert.equal(
    Object.keys(outputTable).filter((name) => !proven.has(name) && !unprovable.includes(name)),
    [],
  );
  assert.equal([...changing].sort(), decisive);
  assert.ok(answers.yes > 10_000 && answers.no > 1000, JSON.stringify(answers));
});

test('are the same for a ladder of sizes as for one of them, in any order', () => {
  const needsOf = (...outputs: readonly object[]) =>
    waitingJobOf(jobOf(...outputs.map((output) => parse(output) ?? {}))).needsKey;
  const large = { filename: 'large.mp4', height: 1080, clip_length: 7.25 };
  const small = { filename: 'small.mp4', height: 360, video_bitrate: 400 };
  const other = { filename: 'other.webm' };
  assert.is(needsOf(large, small), needsOf(small));
  assert.is(needsOf(large, other, small), needsOf(other, small));
  assert.is.not(needsOf(other), needsOf(small));
  const named = (filename: string) => needsOf({ filename, format: 'mp4' });
  assert.is(named('part.0001'), named('part-without-extension'), 'the format decides the container');
});

test.run();
