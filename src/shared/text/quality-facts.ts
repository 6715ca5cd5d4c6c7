import type { LadderPointRecord, QualityMeasurement, QualityRecord } from '../records.js';
import { withoutPassword } from '../redact.js';
import type { Fact } from './file-facts.js';
import { humanDuration } from './units.js';

/** Blocks for scores: the lowest up to 65, then one for each 5 points, the highest from 95. */
const blocks = '▁▂▃▄▅▆▇█';
const [lowestScore, pointsPerBlock] = [60, 5] as const;

/** The scores of a video over time, as one block for each part. */
export function scoreLine(scores: readonly number[]): string {
  const block = (score: number) => {
    const step = Math.floor((score - lowestScore) / pointsPerBlock);
    return blocks[Math.min(blocks.length - 1, Math.max(0, step))];
  };
  return scores.map(block).join('');
}

/** The quality of an output in `venc show`. */
export function qualityFacts({ quality }: object & { readonly quality?: QualityRecord }): readonly Fact[] {
  if (quality === undefined) return [];
  const { mean, percentile_5: low, worst_second: worst, model, check, scores = [], log_url: log } = quality;
  const parts = [
    mean === undefined
      ? `predicted VMAF ${quality.predicted?.toFixed(1)}, not measured`
      : `VMAF ${mean.toFixed(1)}`,
    ...(low === undefined ? [] : [`5th percentile ${low.toFixed(1)}`]),
    ...(worst === undefined
      ? []
      : [`worst second ${worst.score.toFixed(1)} at ${humanDuration(worst.time)}`]),
    ...(check === 'samples' ? ['only samples were measured'] : []),
    ...(model === undefined ? [] : [model]),
  ];
  return [
    ['quality', parts.join(', ')],
    ...targetFacts(quality),
    ...(scores.length === 0 ? [] : [['over time', scoreLine(scores)] as const]),
    ...(log === undefined ? [] : [['scores', withoutPassword(log)] as const]),
  ];
}

/** The renditions of a ladder that was chosen by content, as `venc show` lists them with its playlist. */
export function hullFacts({
  hull = [],
}: object & { readonly hull?: readonly LadderPointRecord[] }): readonly Fact[] {
  return hull.flatMap(({ rendition, height, kbps, score, crf }): readonly Fact[] =>
    rendition === null
      ? []
      : [
          [
            `rendition ${rendition}`,
            `${height} lines, ${kbps} kbps, VMAF ${score.toFixed(1)} as predicted, CRF ${crf}`,
          ],
        ],
  );
}

/** How the factor for a `quality_target` was found; nothing without one. */
function targetFacts({ target, crf, probes = [], corrections = 0, limited_by }: QualityRecord): Fact[] {
  if (target === undefined || crf === undefined) return [];
  const tried = probes.map((probe) => `${probe.crf} gave ${probe.score.toFixed(1)}`).join(', ');
  const parts = [
    `${target} with CRF ${crf} (${tried})`,
    ...(corrections > 0 ? ['encoded again to meet it'] : []),
    ...(limited_by == null ? [] : [`limited by ${limited_by}`]),
  ];
  return [['target', parts.join(', ')]];
}

/** A measurement as `venc compare` prints it. */
export function comparisonFacts(quality: QualityMeasurement): readonly Fact[] {
  const { worst_second: worst, subsample, luma, matrix, range } = quality;
  const pair = ({ output, reference }: QualityMeasurement['matrix']) =>
    `${output ?? 'not declared'}, reference ${reference ?? 'not declared'}`;
  const measured = subsample === 1 ? 'all measured' : `one of ${subsample} measured`;
  return [
    ['mean', quality.mean.toFixed(2)],
    ['harmonic mean', quality.harmonic_mean.toFixed(2)],
    ['5th percentile', quality.percentile_5.toFixed(2)],
    ['worst second', `${worst.score.toFixed(2)}, ${humanDuration(worst.time)} from the start`],
    ['over time', scoreLine(quality.scores)],
    ['frames', `${quality.frames}, ${measured}`],
    ['metric', `${quality.metric}, ${quality.model}, libvmaf ${quality.version}`],
    ['PSNR of luma', `${quality.psnr_y.toFixed(2)} dB`],
    ['mean luma', `${luma.output.toFixed(1)}, reference ${luma.reference.toFixed(1)}`],
    ['matrix', pair(matrix)],
    ['range', pair(range)],
    ['measured in', humanDuration(quality.seconds)],
  ];
}
