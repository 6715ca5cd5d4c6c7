import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assumedCaptions, assumedCovers } from '../../daemon/dry-run/assumed-files.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { captionGridOf, segmentGridsOf } from '../../daemon/plan/decide/packaging.js';
import { withDeviceProfile } from '../../daemon/plan/device-profiles.js';
import { partNamePattern } from '../../daemon/plan/part-names.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Capabilities } from '../../daemon/plan/plan-types.js';
import { planThumbnails } from '../../daemon/plan/thumbnails.js';
import { defaultOutput, jobTable, outputTable } from '../../src/shared/settings/index.js';
import { exampleValue, nestedSettings } from '../../src/shared/settings/kinds/groups.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import type { Setting, SettingsTable } from '../../src/shared/settings/setting.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { readSources } from '../helpers/architecture/source-file.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

type Settings = Readonly<Record<string, unknown>>;

/** A setting that is applied: its names from the outermost one, and where it makes a difference. */
interface Applied {
  readonly names: readonly string[];
  readonly setting: Setting;
  readonly seenIn: NonNullable<Setting['seenIn']> | 'plan';
}

function appliedSettings(
  table: SettingsTable,
  seenIn: Applied['seenIn'],
  parents: readonly string[] = [],
): readonly Applied[] {
  return Object.entries(table).flatMap(([name, setting]) => {
    if (setting.rejected !== undefined || setting.noEffect !== undefined) return [];
    const names = [...parents, name];
    const own = setting.seenIn ?? seenIn;
    return [{ names, setting, seenIn: own }, ...appliedSettings(nestedSettings(setting), own, names)];
  });
}

const applied = [...appliedSettings(jobTable, 'job'), ...appliedSettings(outputTable, 'plan')];

const allCodecs = ['libfdk_aac', 'pcm_s24le', 'pcm_s32le', 'libwebp'];
const capabilities: Capabilities = {
  ...newCapabilities,
  encoders: new Set([...newCapabilities.encoders, ...allCodecs]),
  filters: new Set([...newCapabilities.filters, 'ass', 'subtitles']),
};
const film = mediaFacts();
const subtitled: MediaFacts = { ...film, subtitles: [{ streamIndex: 2, codec: 'subrip', language: 'en' }] };
const bilingual: MediaFacts = {
  ...film,
  audio: audioFacts({ language: 'en' }),
  otherAudio: [audioFacts({ streamIndex: 2, language: 'de' })],
};
const tagged: MediaFacts = {
  ...film,
  tags: [{ name: 'title', value: 'Holidays' }],
  chapters: [{ startSeconds: 0, endSeconds: 5, title: 'One' }],
};
const hdr = mediaFacts({
  video: videoFacts({ pixelFormat: 'yuv420p10le', colourTransfer: 'smpte2084', colourPrimaries: 'bt2020' }),
});
const hdr10 = { video_codec: 'hevc', video_codec_profile: 'main10', hdr_format: 'hdr10' };
const fields = mediaFacts({
  video: videoFacts({ width: 720, height: 576, fieldOrder: 'top-first', codec: 'mpeg2video' }),
  audio: audioFacts({ channels: 6, sampleRate: 96_000 }),
});

/** The other settings of an output, its file name, and the input: each setting makes a difference in one of these. */
const contexts: readonly (readonly [Settings, string, MediaFacts])[] = [
  [{}, 'film.mp4', film],
  [{}, 'film.mp4', fields],
  [{}, 'film.mp4', subtitled],
  [{}, 'film.mp4', bilingual],
  [{}, 'film.mp4', tagged],
  [{ video_codec: 'hevc', hdr: 'keep' }, 'film.mp4', hdr],
  [{ video_codec: 'hevc', video_codec_profile: 'main10' }, 'film.mp4', hdr],
  [{ ...hdr10, max_content_light_level: 1000, max_frame_average_light_level: 400 }, 'film.mp4', hdr],
  [{ width: 640, height: 640 }, 'film.mp4', film],
  [{ width: 1920 }, 'film.mp4', film],
  [{ video_bitrate: 800 }, 'film.mp4', film],
  [{ measure_quality: true }, 'film.mp4', film],
  [{ quality_target: 90 }, 'film.mp4', film],
  [{ bitrate_cap: 800 }, 'film.mp4', film],
  [{}, 'film.wav', film],
  [{ video_codec: 'vp9', audio_codec: 'opus', audio_bitrate: 128 }, 'film.webm', film],
  [{ select_audio_service_type: 'commentary' }, 'film.mp4', bilingual],
  [{ audio_compression_ratio: 2 }, 'film.mp4', film],
  [{ audio_expansion_ratio: 2 }, 'film.mp4', film],
  [{ audio_normalize: true }, 'film.mp4', film],
  [{ deinterlace: 'on' }, 'film.mp4', film],
  [{ type: 'segmented' }, 'film.m3u8', film],
  [{ type: 'captions', format: 'm3u8' }, 'film.m3u8', film],
  [{ type: 'segmented', streaming_delivery_format: 'dash' }, 'film.mpd', film],
  [{ type: 'segmented', encryption_method: 'aes-128-cbc' }, 'film.m3u8', film],
  [{ type: 'segmented', encryption_key_rotation_period: 2 }, 'film.m3u8', film],
  [{ type: 'segmented', generate_keyframe_manifest: true }, 'film.m3u8', film],
];

/** Values to try for a setting, as a request has them. */
function valuesOf(setting: Setting): readonly unknown[] {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return [setting.min, 1, 2, 5, 12, 60, 90, 320, 1000, 22_050, setting.max].filter(
        (value) => value >= setting.min && value <= setting.max,
      );
    case 'boolean':
      return [true, false];
    case 'choice':
    case 'number-choice':
      return setting.choices;
    case 'list':
      return valuesOf(setting.of).map((value) => [value]);
    case 'size':
      return ['320x240', '640x480'];
    default:
      return [exampleValue(setting)];
  }
}

/** The settings with one at a path, in which required nested ones are there as well. */
function withValue(names: readonly string[], value: unknown): Settings {
  const [first = '', ...rest] = names;
  const setting: Setting | undefined = (outputTable as SettingsTable)[first];
  if (rest.length === 0 || setting === undefined) return { [first]: value };
  const example = exampleValue(setting);
  return { [first]: withField(Array.isArray(example) ? example[0] : example, rest, value) };
}

function withField(object: unknown, [first = '', ...rest]: readonly string[], value: unknown): Settings {
  const fields = isObject(object) ? object : {};
  return { ...fields, [first]: rest.length === 0 ? value : withField(fields[first], rest, value) };
}

/** What is planned for an output, as text; null if the settings are invalid together or the output cannot be made. */
function planned(given: Settings, filename: string, media: MediaFacts): string | null {
  const parsed = parseJobRequest({ input: 'http://a/b', outputs: [given] }, { maxOutputs: 1 });
  const [found] = parsed.ok ? parsed.request.outputs : [];
  if (found === undefined) return null;
  const settings = withDeviceProfile(found);
  const images = (settings.watermark ?? []).map(
    ({ url }) => ({ path: `/scratch/${url.length}`, demuxer: 'png_pipe', width: 40, height: 20 }) as const,
  );
  const one = {
    ...output(settings, filename),
    watermarks: images,
    captions: assumedCaptions(media, settings),
    covers: assumedCovers(media, settings),
    segmentGrids: segmentGridsOf(settings, [settings]),
  };
  const made = plan([one], media, paths, capabilities);
  const thumbnails = (settings.thumbnails ?? []).map((set, setIndex) =>
    planThumbnails(
      {
        ...{ outputId: 7, path: '/scratch/film', media, set, setIndex },
        ...{ inputFrameRate: media.video?.frameRate ?? null, keyframeInterval: settings.keyframe_interval },
      },
      capabilities,
    ),
  );
  return made.rejections.length > 0
    ? null
    : JSON.stringify([
        ...[made, thumbnails, captionGridOf(settings, [{ settings }])],
        `${partNamePattern(settings, filename)}`,
      ]);
}

for (const { names, setting, seenIn } of applied) {
  if (seenIn !== 'plan') continue;
  test(`two values of ${names.join('.')} give two plans`, () => {
    const makesDifference = contexts.some(([others, filename, media]) => {
      const first = planned(others, filename, media);
      return valuesOf(setting).some((value) => {
        const made = planned({ ...others, ...withValue(names, value) }, filename, media);
        return first !== null && made !== null && made !== first;
      });
    });
    assert.ok(makesDifference);
  });
}

/** Where a setting that is not part of the plan is read. */
const readers: Readonly<Record<Exclude<Applied['seenIn'], 'plan'>, RegExp>> = {
  job: /^(daemon\/(jobs|actions|http|pipeline)|src\/shared\/settings\/(ladder-rules|output-rules|parse-job-request))/,
  delivery: /^(daemon\/(jobs|actions|pipeline|packaging|transports)|src\/shared\/thumbnail-names)/,
  notification: /^daemon\/(jobs|webhooks)/,
};

test('every setting that is not part of the plan is read where its row says', () => {
  const sources = readSources(process.cwd(), ['src', 'daemon']);
  for (const { names, seenIn } of applied) {
    if (seenIn === 'plan') continue;
    const word = new RegExp(`\\b${names.at(-1)}\\b`);
    const isRead = sources.some(({ path, bare }) => readers[seenIn].test(path) && word.test(bare));
    assert.ok(isRead, names.join('.'));
  }
});

test('the default output and an output without settings have no unsupported settings', () => {
  const nothing = { validationErrors: [], warnings: [] };
  assert.equal(checkSupport(outputTable, defaultOutput, 'outputs[0]'), nothing);
  assert.equal(checkSupport(outputTable, {}, 'outputs[0]'), nothing);
});

test('a setting that is not supported is rejected by its path, except with a value that turns it off', () => {
  const check = (settings: object) => checkSupport(outputTable, { ...settings }, 'outputs[2]');
  const [error = ''] = check({ drm: { method: 'playready' } }).validationErrors;
  assert.match(error, /^outputs\[2\]\.drm is not supported: /);
  for (const value of [false, 'false', 0, 'none', {}, []])
    assert.equal(check({ drm: value, cue_points: value, package_format: value }).validationErrors, []);
});

test('a setting without effect is a warning if a client may expect another file', () => {
  const check = (settings: object) => checkSupport(outputTable, { ...settings }, 'outputs[0]');
  assert.equal(check({ vp6_profile: 'vp6-e' }).warnings, [
    { field: 'outputs[0].vp6_profile', message: 'has no effect here: it is an option of the codec vp6' },
  ]);
  assert.equal(check({ generate_md5_checksum: true, max_aac_profile: 'aac-lc' }).warnings, []);
  assert.equal(check({ mtu_size: 1450, rtmp_keep_alive: false }).warnings, []);
  const nested = check({ notifications: [{ url: 'http://a/b', event: 'seamless_playback' }] }).warnings;
  assert.equal(
    nested.map(({ field }) => field),
    ['outputs[0].notifications[0].event'],
  );
});

test.run();
