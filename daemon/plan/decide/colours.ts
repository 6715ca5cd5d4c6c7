import type { VideoFacts } from '../../jobs/media.js';
import type { VideoCodec } from '../formats.js';
import type { Capabilities, DeclaredHdr } from '../plan-types.js';
import type { ColourConversion, ColourMatrix, Colours } from './decisions.js';

/** The decisions about the colours of a video. */
interface ColourDecision {
  readonly toneMapFrom: Colours | null;
  /** The conversion before tone mapping. */
  readonly conversion: ColourConversion;
  readonly colours: Colours;
}

/** The colours of high definition, the default of every screen. */
const standard = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709' } as const satisfies Colours;

/**
 * Names of ffprobe that options of ffmpeg accept, with the name to pass. `bt470m` and `bt470bg` are names of primaries;
 * ffprobe prints them for transfers too.
 */
const knownNames = {
  primaries: names(
    ...['bt709', 'bt470m', 'bt470bg', 'smpte170m', 'smpte240m', 'film', 'bt2020', 'smpte428', 'smpte431'],
    'smpte432',
  ),
  transfer: {
    ...names(
      ...['bt709', 'smpte170m', 'smpte240m', 'linear', 'iec61966-2-1', 'iec61966-2-4', 'bt2020-10'],
      ...['bt2020-12', 'smpte2084', 'arib-std-b67'],
    ),
    bt470m: 'gamma22',
    bt470bg: 'gamma28',
  },
  matrix: names('bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'),
} as const satisfies { readonly [Name in keyof Colours]: Readonly<Record<string, string>> };

/** The colours of HDR (BT.2100), for what a file does not specify. */
const hdrColours = { colourPrimaries: 'bt2020', colourSpace: 'bt2020nc' } as const;

/** Default colours by matrix, for what a file does not specify. */
const defaultColours: Readonly<Record<ColourMatrix, Colours>> = {
  bt709: standard,
  bt601: { primaries: 'smpte170m', transfer: 'smpte170m', matrix: 'smpte170m' },
  fcc: { primaries: 'bt470m', transfer: 'bt709', matrix: 'fcc' },
  smpte240m: { primaries: 'smpte240m', transfer: 'smpte240m', matrix: 'smpte240m' },
  bt2020: { primaries: 'bt2020', transfer: 'bt2020-10', matrix: 'bt2020nc' },
};

/** Heights of 625-line television, whose primaries differ from those of 525 lines. */
const linesOf625: ReadonlySet<number> = new Set([576, 288]);

/** Codecs that cannot signal any matrix except that of BT.601. */
const bt601Codecs: ReadonlySet<string> = new Set(['vp8', 'theora', 'wmv', 'wmv2', 'webp']);

/** Whether a video is HDR: PQ or HLG (BT.2100). */
export function isHighRange({ colourTransfer }: Pick<VideoFacts, 'colourTransfer'>): boolean {
  return colourTransfer === 'smpte2084' || colourTransfer === 'arib-std-b67';
}

/** Whether this ffmpeg can convert HDR to SDR. */
export function canToneMap({ filters }: Pick<Capabilities, 'filters'>): boolean {
  return filters.has('zscale') && filters.has('tonemap');
}

/**
 * Decides the colours of an output. HDR is converted to SDR unless it is kept (`hdr`), because most screens show PQ and
 * HLG flat and pale. Other videos keep their matrix, or get that of BT.601 if the codec supports no other. The
 * output always signals its colours, so that no player guesses them from the size, which may have changed. If ffmpeg
 * lacks the filters, HDR video stays HDR and is signalled as such.
 */
export function decideColours(
  given: VideoFacts,
  codec: VideoCodec,
  capabilities: Pick<Capabilities, 'filters'>,
  hdr: DeclaredHdr | null = null,
): ColourDecision {
  const video = hdr === null ? given : { ...hdrColours, ...given, colourTransfer: hdr.transfer };
  const source = sourceMatrix(video);
  const from: ColourConversion['from'] = isRgb(video) ? 'rgb' : source;
  const isMapped = hdr === null && isHighRange(video) && canToneMap(capabilities);
  const isOnlyBt601 = bt601Codecs.has(codec);
  const to = isOnlyBt601 && !isMapped ? 'bt601' : source;
  const conversion: ColourConversion = {
    from,
    to,
    isFullRange: isFullRange(video),
    hasAlpha: video.hasAlpha === true,
  };
  if (isMapped) {
    const { transfer, primaries, matrix } = declaredOrDefault(video, 'bt2020');
    const colours = isOnlyBt601 ? { ...standard, matrix: defaultColours.bt601.matrix } : standard;
    return { toneMapFrom: { transfer, primaries, matrix }, conversion, colours: named(colours, codec) };
  }
  const declared = declaredOrDefault(video, from === 'rgb' ? 'bt709' : source);
  const matrix = to === source && from !== 'rgb' ? declared.matrix : matrixName(to, video);
  return { toneMapFrom: null, conversion, colours: named({ ...declared, matrix }, codec) };
}

/** The matrix of the finished video. */
export function finalMatrix({ toneMapFrom, conversion, colours }: ColourDecision): ColourMatrix {
  if (toneMapFrom === null) return conversion.to;
  return colours.matrix === standard.matrix ? 'bt709' : 'bt601';
}

/** The colours of a finished output. If its file cannot signal a matrix, the codec has only one. */
export function coloursOfOutput(video: VideoFacts): Pick<ColourConversion, 'from' | 'isFullRange'> {
  const isOnlyBt601 = bt601Codecs.has(video.codec) && video.colourSpace === undefined;
  return { from: isOnlyBt601 ? 'bt601' : sourceMatrix(video), isFullRange: isFullRange(video) };
}

function declaredOrDefault(video: VideoFacts, matrix: ColourMatrix): Colours {
  const primaries =
    matrix === 'bt601' && linesOf625.has(video.height) ? 'bt470bg' : defaultColours[matrix].primaries;
  return {
    primaries: declared('primaries', video.colourPrimaries) ?? primaries,
    transfer: declared('transfer', video.colourTransfer) ?? defaultColours[matrix].transfer,
    matrix: declared('matrix', video.colourSpace) ?? matrixName(matrix, video),
  };
}

function matrixName(matrix: ColourMatrix, { height }: VideoFacts): string {
  return matrix === 'bt601' && linesOf625.has(height) ? 'bt470bg' : defaultColours[matrix].matrix;
}

/** Theora signals its colours only by the primaries. */
function named(colours: Colours, codec: VideoCodec): Colours {
  return codec === 'theora' ? { ...colours, primaries: 'bt470bg' } : colours;
}

function declared(kind: keyof Colours, name: string | undefined): string | null {
  const table: Readonly<Record<string, string>> = knownNames[kind];
  return name !== undefined && Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

function names(...all: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map((name) => [name, name]));
}

/** Matrices by the names of ffprobe. */
const matrices: Readonly<Record<string, ColourMatrix>> = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
};

/** Matrices by primaries, for a video without a matrix. */
const matricesByPrimaries: Readonly<Record<string, ColourMatrix>> = {
  bt709: 'bt709',
  smpte170m: 'bt601',
  bt470bg: 'bt601',
  smpte240m: 'smpte240m',
  bt2020: 'bt2020',
};

/** Minimum size of high definition, for a video that signals no colours. */
const highDefinition = { width: 1280, height: 720 } as const;

const rgbFormat = /^(?:gbr|rgb|bgr|[0xa]rgb|[0xa]bgr|x2rgb|x2bgr|pal8|xyz|bayer)/;

/** Whether the pixel format is RGB instead of luma and chroma. */
function isRgb({ pixelFormat }: VideoFacts): boolean {
  return rgbFormat.test(pixelFormat ?? '');
}

/** The matrix of a video: as signalled, otherwise by its size. */
function sourceMatrix(video: VideoFacts): ColourMatrix {
  const { colourSpace = '', colourPrimaries = '', width, height } = video;
  const isHigh = width >= highDefinition.width || height >= highDefinition.height;
  return matrices[colourSpace] ?? matricesByPrimaries[colourPrimaries] ?? (isHigh ? 'bt709' : 'bt601');
}

/** Whether luma ranges from 0 to 255 instead of 16 to 235. */
function isFullRange({ pixelFormat, colourRange }: VideoFacts): boolean {
  return colourRange === 'full' || /^yuvj/.test(pixelFormat ?? '');
}
