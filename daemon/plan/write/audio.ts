import { type ChannelCount, layoutOf } from '../../../src/shared/settings/channels.js';
import type { AudioFacts, AudioPart, MediaFacts } from '../../jobs/media.js';
import { type AudioEncoder, audioEncoders } from '../audio-encoders.js';
import { restWeight } from '../decide/audio-channels.js';
import { allowedKbps } from '../decide/audio-limits.js';
import { minAudioSeconds } from '../decide/decide-audio.js';
import type { AudioDecision, ChannelWeights } from '../decide/decisions.js';
import { atLevel } from '../encoders.js';
import type { Capabilities, PlanPaths } from '../plan-types.js';
import { fileArgument, safeInputArgs } from '../safe-input.js';
import { effectFilters } from './audio-effects.js';
import { limiterFilters } from './limiter.js';

/**
 * Starts the audio when the video starts, and fills gaps with silence, so that both stay in sync in players and
 * containers that only count samples. A gap of 40 ms is not noticeable; by default ffmpeg ignores gaps of up to 100 ms,
 * and all later audio is early by that much. Rejected: compensating small differences (`async` above 1), which lost
 * sync by seconds with 4.1 and 5.1 if the clock of the audio was 4 in 1000 too slow.
 */
export const resampleFilter = 'aresample=async=1:min_hard_comp=0.03:first_pts=0';

/**
 * The arguments for the audio of an output: its filters and its encoder. `skipSeconds` is the duration that is read
 * before the clip.
 */
export function audioArgs(
  audio: AudioDecision,
  capabilities: Capabilities,
  skipSeconds: number,
): readonly string[] {
  const encoder: AudioEncoder = audioEncoders[audio.encoder];
  const filters = [
    ...paddingFilters(audio, skipSeconds),
    ...mixingFilters(audio, capabilities),
    ...effectFilters(audio, capabilities, skipSeconds),
  ];
  return [
    ...(audio.joined === undefined ? ['-af', filters.join(',')] : []),
    '-c:a',
    encoderName(audio),
    ...audioRateArgs(audio, encoder),
    ...(audio.profile === null ? [] : ['-profile:a', audio.profile]),
    '-ar',
    String(audio.sampleRate),
    '-ac',
    String(audio.channels),
    // Otherwise it depends on the filters. 24 bits are in samples of 32.
    ...(encoder.codec === 'flac' ? ['-sample_fmt', audio.bitDepth === 16 ? 's16' : 's32'] : []),
    ...(encoder.always ?? []),
  ];
}

/** They come first, because changing the sample rate loses audio of a few samples. */
function paddingFilters({ padding }: AudioDecision, skipSeconds: number): readonly string[] {
  if (padding === undefined) return [];
  return [`apad=whole_len=${Math.ceil((skipSeconds + minAudioSeconds) * padding.sampleRate)}`];
}

/** The name of the encoder in ffmpeg. Each number of bits per PCM sample has its own. */
function encoderName({ encoder, bitDepth }: AudioDecision): string {
  return encoder === 'pcm_s16le' ? `pcm_s${bitDepth}le` : encoder;
}

function audioRateArgs(
  { rate, channels, sampleRate }: AudioDecision,
  encoder: AudioEncoder,
): readonly string[] {
  if (rate.by === 'bitrate' && encoder.quality.by !== 'nothing') {
    const kbps = `${rate.kbps}k`;
    const bounds = encoder.isManaged === true ? ['-minrate', kbps, '-maxrate', kbps] : [];
    const constant = rate.isConstant === true ? (encoder.constant ?? []) : [];
    return ['-b:a', kbps, ...bounds, ...constant];
  }
  if (encoder.quality.by === 'nothing' || rate.by === 'bitrate') return [];
  const level = atLevel(encoder.quality.levels, rate.level);
  if (encoder.quality.by === 'scale') return ['-q:a', String(level)];
  const max = allowedKbps(encoder.codec, sampleRate, channels);
  // Low-frequency effects take next to nothing.
  const kbps = Math.min(level * Math.min(channels, 5), max);
  const next = channels === 6 ? encoder.onlyKbps?.rates(sampleRate).find((one) => one >= kbps) : undefined;
  return ['-b:a', `${next ?? kbps}k`];
}

/**
 * Downmixes by channel position, with the weights of ITU-R BS.775-3 and without the low-frequency effects. The weights
 * are not normalised, because that makes 5.1 nearly 9 dB quieter (a film of -21.6 LUFS came out with -30.3).
 * `rematrix_maxval` is the sum of weights above which ffmpeg normalises; no layout reaches this one. Integer samples
 * would clip before the limiter, so floats are used.
 */
const positionalMatrix = [
  'internal_sample_fmt=fltp',
  'rematrix_maxval=16',
  `center_mix_level=${rounded(restWeight)}`,
  `surround_mix_level=${rounded(restWeight)}`,
  'lfe_mix_level=0',
].join(':');

/** The demuxers of files that are nothing but audio packets, one after another. Their times are computed from these. */
const elementaryFormats: ReadonlySet<string> = new Set(['aac', 'mp3', 'ac3', 'eac3', 'dts', 'truehd']);

/** Added to the number that reports the format of a part, to distinguish it from a timestamp. */
const partMark = 1e12;

/**
 * Formats whose audio may change. In others, the container states one format, and broadcasts rarely get into them as
 * they are.
 */
export const changingAudioFormats: ReadonlySet<string> = new Set([
  ...elementaryFormats,
  'mpeg-ts',
  'mpeg-ps',
]);

/**
 * The filters that report each part of audio: its format and the timestamps of its first two frames, see
 * `readAudioParts`.
 */
const partFilters = [
  String.raw`volume=volume=1+0*print(${partMark}+nb_channels*1e6+sample_rate\,16):eval=once`,
  String.raw`asetpts=if(lte(st(0\,ld(0)+1)\,2)\,PTS+0*print(T\,16)\,PTS)`,
];

/** The arguments of the run that only lists the parts of audio, by decoding it. */
export function audioPartsArgs(
  { analysis }: MediaFacts,
  { streamIndex }: AudioFacts,
  input: string,
): readonly string[] {
  const filters = partFilters.join(',');
  return [...safeInputArgs(input, analysis), '-map', `0:${streamIndex}`, '-af', filters, '-f', 'null', '-'];
}

/** Of two channels of 32-bit floats. */
const bytesPerSample = 8;

/**
 * The run of ffmpeg that converts a stream whose format changes to stereo at one sample rate. ffmpeg builds the filters
 * again at each change, so those of an output, which count from its start, cannot follow it. The video is read too, so
 * that a jump of the clock is corrected as when it is encoded.
 */
export function conversionOf(
  { video, format, analysis, durationSeconds }: MediaFacts,
  { streamIndex, sampleRate }: AudioFacts,
  { input, scratch }: PlanPaths,
): { readonly path: string; readonly args: readonly string[]; readonly sizeBytes: number } {
  // In Ogg, ffmpeg counts the time of all links with the sample rate of the first one.
  const isElementary = elementaryFormats.has(format) || (format === 'ogg' && video === null);
  const path = `${scratch}/converted-${streamIndex}.${isElementary ? 'w64' : 'nut'}`;
  const rate = sampleRate > 0 ? sampleRate : 48_000;
  const filters = [
    ...partFilters,
    `aresample=${positionalMatrix}`,
    `aformat=sample_fmts=flt:sample_rates=${rate}:channel_layouts=stereo`,
  ];
  return {
    path,
    sizeBytes: Math.ceil((durationSeconds ?? 0) * rate) * bytesPerSample,
    args: [
      ...['-y', ...safeInputArgs(input, analysis), '-map', `0:${streamIndex}`, '-af', filters.join(',')],
      // Without a container the samples follow each other. ffmpeg 5.1 sets a wrong time for the first frame of another
      // rate.
      ...['-c:a', 'pcm_f32le', '-f', isElementary ? 'w64' : 'nut', fileArgument(path)],
      ...(video === null ? [] : ['-map', `0:${video.streamIndex}`, '-c:v', 'copy', '-f', 'null', '-']),
    ],
  };
}

/**
 * Reads the parts from the messages of the run that converted them. Where channels and sample rate change together,
 * MPEG audio has one frame with one of them first, whose time is wrong with older versions, so parts of a single frame
 * are errors. The parts start where the file does.
 */
export function readAudioParts(messages: string): readonly AudioPart[] {
  const parts: (AudioPart & { frames: number })[] = [];
  let format: number | null = null;
  for (const line of messages.split('\n')) {
    const number = /^(?:\[Eval @ \w+\] )?(-?\d+\.\d{6})\s*$/.exec(line)?.[1];
    if (number === undefined) continue;
    const value = Number(number);
    const last = parts.at(-1);
    if (value >= partMark) format = value - partMark;
    else if (format === null && last !== undefined) last.frames += 1;
    else if (format !== null) {
      parts.push({ seconds: value, channels: Math.floor(format / 1e6), sampleRate: format % 1e6, frames: 1 });
      format = null;
    }
  }
  const whole = parts.filter(({ frames }) => frames > 1);
  return whole
    .filter((part, at) => !hasSameFormat(part, whole[at - 1]))
    .map(({ frames, ...part }, at) => ({ ...part, seconds: (at === 0 ? parts[0] : part)?.seconds ?? 0 }));
}

function hasSameFormat(one: AudioPart, other: AudioPart | undefined): boolean {
  return one.channels === other?.channels && one.sampleRate === other.sampleRate;
}

/** Stereo becomes mono as half the sum, which never clips. */
const average = 'rematrix_maxval=1';

/** The ceiling of the limiter, -1 dBFS: lossy encoders add up to about as much. */
const ceiling = 0.891;

/**
 * The filters that mix the channels of the input to those of the output. The `aresample` that keeps the audio in sync
 * also downmixes.
 */
export function mixingFilters(
  audio: Pick<AudioDecision, 'mixing' | 'converted' | 'joined' | 'channels' | 'sampleRate'>,
  capabilities: Capabilities,
): readonly string[] {
  const { mixing, converted, joined } = audio;
  // A part that was mixed from more channels may exceed full scale.
  const isMixed = converted?.parts.some(({ channels }) => channels > 2) ?? false;
  const limiter = isMixed ? limiterFilters(ceiling, audio, capabilities) : [];
  switch (mixing.by) {
    case 'nothing':
      return joined === undefined ? [resampleFilter, ...limiter] : [];
    case 'layout':
      return [resampleFilter, `aformat=channel_layouts=${layoutOf(6)}`];
    case 'weights':
      return [
        ...(joined === undefined ? [resampleFilter] : []),
        panFilter(mixing.rows, audio),
        ...(mixing.rows.some(isLouder) ? limiterFilters(ceiling, audio, capabilities) : []),
      ];
    case 'average':
      return [`${resampleFilter}:${average}`, ...limiter];
    case 'positions':
      return [`${resampleFilter}:${positionalMatrix}`, ...limiterFilters(ceiling, audio, capabilities)];
    case 'order':
      return [
        roundRobinFilters(mixing.channels, audio.channels),
        resampleFilter,
        ...limiterFilters(ceiling, audio, capabilities),
      ];
  }
}

/** Sums named channels to those of a layout. Joined channels have only numbers. */
function panFilter(
  rows: readonly ChannelWeights[],
  { joined, channels }: Pick<AudioDecision, 'joined' | 'channels'>,
): string {
  const joinedNames: readonly string[] | undefined = joined?.channels.map(({ name }) => name);
  const nameIn = (name: string) => (joinedNames === undefined ? name : `c${joinedNames.indexOf(name)}`);
  const sums = rows.map((row, index) => {
    const terms = Object.entries(row).map(([name, weight]) => `${rounded(weight)}*${nameIn(name)}`);
    return `c${index}=${terms.join('+')}`;
  });
  return `aformat=sample_fmts=fltp,pan=${layoutOf(channels)}|${sums.join('|')}`;
}

function isLouder(row: ChannelWeights): boolean {
  return Object.values(row).reduce((sum, weight) => sum + weight, 0) > 1;
}

/**
 * Channels without positions are assigned to left and right alternately. The first two are taken for the front pair.
 */
function roundRobinFilters(inputChannels: number, channels: ChannelCount): string {
  const all = Array.from({ length: inputChannels }, (_, index) => index);
  const sum = (some: readonly number[], share: number) =>
    some.map((index) => `${rounded(weightOf(index) * share)}*c${index}`).join('+');
  if (channels === 1) return `aformat=sample_fmts=fltp,pan=mono|c0=${sum(all, restWeight)}`;
  const side = (rest: number) =>
    sum(
      all.filter((index) => index % 2 === rest),
      1,
    );
  return `aformat=sample_fmts=fltp,pan=stereo|c0=${side(0)}|c1=${side(1)}`;
}

function weightOf(index: number): number {
  return index < 2 ? 1 : restWeight;
}

function rounded(weight: number): number {
  return Number(weight.toFixed(4));
}
