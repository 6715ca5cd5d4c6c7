import { withFields } from '../../src/shared/util/log.js';
import { withCommandLog } from '../ffmpeg/index.js';
import type { PipelineContext } from './pipeline-context.js';

/** The context of the run of a job: all lines that it logs have the id of the job, and ffmpeg's commands are logged. */
export function contextOfJob(context: PipelineContext, jobId: number): PipelineContext {
  const log = withFields(context.log, { jobId });
  return { ...context, log, ffmpeg: withCommandLog(context.ffmpeg, log, `Job ${jobId}`) };
}

/** The context for work on one output: all lines that are logged have its id. */
export function contextOfOutput(context: PipelineContext, outputId: number): PipelineContext {
  const { ffmpeg } = context;
  return {
    ...context,
    log: withFields(context.log, { outputId }),
    ffmpeg: {
      ...ffmpeg,
      run: (args, options) => ffmpeg.run(args, { ...options, outputId }),
      measureAudio: (args, measurement, options) =>
        ffmpeg.measureAudio(args, measurement, { ...options, outputId }),
    },
  };
}
