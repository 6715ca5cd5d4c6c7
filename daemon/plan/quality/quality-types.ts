import type { QualityRecord } from '../../../src/shared/records.js';
import type { VideoFacts } from '../../jobs/media.js';

/** `vmaf`, or `vmaf-neg`, which does not count enhanced contrast as quality. */
export type QualityMetric = QualityRecord['metric'];

/** What the metric has to know about the frames of one side. */
export interface MetricSide {
  /** As displayed, in pixels: after rotation, and with square pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** By the name that the filter `scale` has for it. */
  readonly matrix: string;
  readonly isFullRange: boolean;
  /** Whether a sample has more than 8 bits. */
  readonly isDeep: boolean;
}

/** The frames of one side of a measurement: the run of ffmpeg that decodes them into a NUT file without compression. */
export interface FrameRun {
  /** Its arguments, without the path of that file, which follows them. */
  readonly args: readonly string[];
  readonly side: MetricSide;
}

/** What the video of an output is compared with. */
export interface PlannedReference {
  readonly outputId: number;
  readonly metric: QualityMetric;
  readonly reference: 'output' | 'source';
  readonly frames: FrameRun;
  /** What a file with these frames would declare. */
  readonly declared: Pick<VideoFacts, 'colourSpace' | 'colourRange'>;
  /** What the figures do not show, one sentence each. */
  readonly warnings: readonly string[];
}
