import { type FfmpegReport, openFfmpeg, warningsFor } from '../ffmpeg/index.js';
import { audioEncoders } from '../plan/audio-encoders.js';
import { videoEncoders } from '../plan/encoders.js';
import { listUnavailableSettings } from '../plan/list-unavailable-settings.js';
import { findOnPath } from '../transports/run-program.js';
import { servicesFrom } from '../transports/services.js';

/** What `venc doctor` reports about ffmpeg, ffprobe and the transports. */
interface ToolDiagnosis {
  /** Null if a given path is not the program; `failure` has the error. */
  readonly report: FfmpegReport | null;
  readonly failure: unknown;
  /** Warnings about them, one sentence each. */
  readonly warnings: readonly string[];
  /** The encoders of ffmpeg that outputs may use, sorted. */
  readonly usedEncoders: readonly string[];
  /** Settings that they cannot encode, one sentence each. */
  readonly rulesOut: readonly string[];
  readonly transports: TransportFacts;
}

/** What the schemes need besides the daemon itself. Reports whether a variable is set, never its value. */
interface TransportFacts {
  /** Path of Aspera's `ascp`, which `fasp:` needs; null if it is not on `PATH`. */
  readonly ascp: string | null;
  /** Schemes for which the environment has keys. */
  readonly withKeys: readonly string[];
  /** Pairs of environment variables of which one is missing. */
  readonly halfSet: readonly { readonly set: string; readonly missing: string }[];
}

/** Looks for ffmpeg and ffprobe, without the cache, and reports their capabilities. */
export async function diagnose(options: {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
}): Promise<ToolDiagnosis> {
  const transports = await diagnoseTransports(process.env);
  try {
    const { report } = await openFfmpeg({ ...options, isFresh: true });
    return {
      report,
      failure: null,
      warnings: warningsFor(report),
      usedEncoders: [...(report.capabilities?.encoders ?? [])]
        .filter((name) => name in videoEncoders || name in audioEncoders)
        .sort(),
      rulesOut: report.capabilities === null ? [] : listUnavailableSettings(report.capabilities),
      transports,
    };
  } catch (failure) {
    return { report: null, failure, warnings: [], usedEncoders: [], rulesOut: [], transports };
  }
}

const pairs = [
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['VENC_GCS_ACCESS_KEY_ID', 'VENC_GCS_SECRET_ACCESS_KEY'],
  ['VENC_SWIFT_USER', 'VENC_SWIFT_KEY'],
] as const;

/** Reports what an environment provides for the schemes. */
async function diagnoseTransports(
  env: Readonly<Record<string, string | undefined>>,
): Promise<TransportFacts> {
  const services = servicesFrom(env);
  const isSet = (name: string) => env[name] !== undefined && env[name] !== '';
  const keys = {
    s3: services.s3.keys,
    gcs: services.gcs.keys,
    cf: services.swift.keys,
    sftp: services.sftp.key,
  };
  return {
    ascp: await findOnPath('ascp', env.PATH ?? ''),
    withKeys: Object.entries(keys).flatMap(([scheme, key]) => (key === null ? [] : [scheme])),
    halfSet: pairs.flatMap(([one, other]) => {
      if (isSet(one) === isSet(other)) return [];
      return [isSet(one) ? { set: one, missing: other } : { set: other, missing: one }];
    }),
  };
}
