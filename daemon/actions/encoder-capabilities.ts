import { VencError } from '../../src/shared/errors.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { checkCombination } from '../plan/check-combination.js';
import type { Capabilities } from '../plan/plan-types.js';
import { toCapabilities } from '../queue/remote/machine-abilities.js';
import type { AppContext } from './app-context.js';

/** Where the capabilities of encoders come from. `venc plan` has no workers. */
export interface EncoderDeps extends Partial<Pick<AppContext, 'workers'>> {
  /** The ffmpeg of the daemon; null if it has none. */
  readonly ffmpeg: Pick<NonNullable<AppContext['ffmpeg']>, 'capabilities'> | null;
}

/**
 * Checks the combination of an output's settings: it is valid if the ffmpeg of the daemon or that of a connected worker can make it. The
 * errors are those of the daemon's own, if it has one.
 */
export function checkWithEncoders(
  deps: EncoderDeps,
  settings: OutputSettings,
  filename: string | null,
  path: string,
): ReturnType<typeof checkCombination> {
  const first = checkCombination(settings, filename, capabilitiesOf(deps), path);
  if (first.ok) return first;
  for (const capabilities of workerCapabilities(deps)) {
    const result = checkCombination(settings, filename, capabilities, path);
    if (result.ok) return result;
  }
  return first;
}

/** What the ffmpeg of the daemon supports or, if it has none, that of a connected worker. */
export function capabilitiesOf(deps: EncoderDeps): Capabilities {
  const [capabilities] = deps.ffmpeg === null ? workerCapabilities(deps) : [deps.ffmpeg.capabilities];
  if (capabilities !== undefined) return capabilities;
  // The health check passed while a worker was connected.
  throw new VencError('UnavailableError', 'No worker is connected, and this daemon has no ffmpeg.');
}

/** What workers support, once for those that support the same. */
function workerCapabilities({ workers }: EncoderDeps): readonly Capabilities[] {
  return [...new Set(workers?.abilities().map(({ capabilities }) => capabilities))].map(toCapabilities);
}
