import type { VideoFacts } from '../../jobs/media.js';
import type { Abilities } from '../plan-types.js';
import type { Colours, HighRange } from './decisions.js';

/** What is decided of the colours of a picture. */
export interface ColourDecision {
  readonly toneMapFrom: HighRange | null;
  readonly colours: Colours;
}

/** The colours of high definition, which every screen takes for granted. */
const standard = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709' } as const satisfies Colours;

/** Names that ffprobe and ffmpeg's options have in common. The others ("bt470m" for a gamma of 2.2) would end a run with an error. */
const known = {
  primaries: [
    'bt709',
    'bt470m',
    'bt470bg',
    'smpte170m',
    'smpte240m',
    'film',
    'bt2020',
    'smpte428',
    'smpte431',
    'smpte432',
  ],
  transfer: [
    'bt709',
    'smpte170m',
    'smpte240m',
    'linear',
    'iec61966-2-1',
    'iec61966-2-4',
    'bt2020-10',
    'bt2020-12',
    'smpte2084',
    'arib-std-b67',
  ],
  matrix: ['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'],
} as const satisfies { readonly [Name in keyof Colours]: readonly string[] };

/** Whether a picture is of high dynamic range: PQ or HLG (BT.2100). */
export function isHighRange({ colourTransfer }: Pick<VideoFacts, 'colourTransfer'>): boolean {
  return colourTransfer === 'smpte2084' || colourTransfer === 'arib-std-b67';
}

/** Whether this ffmpeg can bring high dynamic range to screens without it. */
export function canToneMap({ filters }: Pick<Abilities, 'filters'>): boolean {
  return filters.has('zscale') && filters.has('tonemap');
}

/**
 * What becomes of the colours: high dynamic range is brought to standard range, since every output has 8 bits and most screens show
 * PQ and HLG flat and pale. All else keeps its colours and says which they are. Without the filters for it high range
 * stays as well: its numbers and its name.
 */
export function decideColours(video: VideoFacts, abilities: Pick<Abilities, 'filters'>): ColourDecision {
  const colours = {
    primaries: among(known.primaries, video.colourPrimaries),
    transfer: among(known.transfer, video.colourTransfer),
    matrix: among(known.matrix, video.colourSpace),
  };
  const { transfer, primaries, matrix } = colours;
  if (transfer === null || !isHighRange(video) || !canToneMap(abilities))
    return { toneMapFrom: null, colours };
  // Who tells one of them alone means those of BT.2100.
  const toneMapFrom = { transfer, primaries: primaries ?? 'bt2020', matrix: matrix ?? 'bt2020nc' };
  return { toneMapFrom, colours: standard };
}

function among(names: readonly string[], name: string | undefined): string | null {
  return name !== undefined && names.includes(name) ? name : null;
}
