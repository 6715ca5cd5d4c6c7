import type { Fit, VideoDecision } from '../decide/decisions.js';

/**
 * Brings high dynamic range to BT.709: light is made linear with 100 cd/m² as 1, its colours those of high definition, and a curve
 * ("hable") bends what is brighter into what a screen can show. Measured: grey of 26 cd/m² (what 18 % of white is in HDR) comes out at
 * 97 of 255, where BT.709 has 104, white of 203 at 193, and 1000 at 254; HLG alike. With twice the light as 1 (npl=203) that grey
 * was 73; with the curves "mobius" and "reinhard" it was 146 and 137.
 *
 * It goes behind the scaling: it takes 16 ms of processor time for a frame of 1280x720, and 37 ms for one of 1920x1080. Of a picture in its
 * own size the odd side is trimmed first, as zscale takes none with halved chroma.
 */
export function toneMapFilters({
  toneMapFrom,
  conversion,
  colours,
  scaleTo,
}: Pick<VideoDecision, 'toneMapFrom' | 'conversion' | 'colours'> & Pick<Fit, 'scaleTo'>): readonly string[] {
  if (toneMapFrom === null) return [];
  const { transfer, primaries, matrix } = toneMapFrom;
  const wasRgb = conversion.hasAlpha || conversion.from === 'rgb';
  return [
    ...(scaleTo === null ? ['crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0'] : []),
    ...(wasRgb ? ['format=yuv444p10le'] : []),
    // What was laid on black comes without its range.
    `zscale=tin=${transfer}:pin=${primaries}:min=${matrix}:rin=tv:t=linear:p=bt709:npl=100`,
    'format=gbrpf32le',
    'tonemap=hable:desat=0',
    `zscale=t=bt709:m=${colours.matrix}:r=tv`,
  ];
}

/** What the file is told of its colours. */
export function colourArgs({
  colours: { primaries, transfer, matrix },
}: Pick<VideoDecision, 'colours'>): readonly string[] {
  // "mpeg" is the range of television: builds of 2018 know no other name for it.
  return [
    ...['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', matrix],
    ...['-color_range', 'mpeg'],
  ];
}
