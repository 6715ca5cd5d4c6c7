import { invalidRequest, isVencError } from '../../../src/shared/errors.js';
import { defaultHeights, ladderOutputs } from '../../../src/shared/settings/ladder-outputs.js';
import { outputListOf, resolvePresets } from '../../../src/shared/settings/presets.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { presetsOf, readPreset } from '../../actions/presets.js';
import type { DocumentRequest } from './document.js';

/**
 * `POST /ui/api/ladder`: the request with the outputs of a ladder in place of its one output, as `venc submit --hls` makes
 * them. It creates nothing. Rejects with `InvalidRequestError` for settings that contradict the ladder.
 */
export async function ladderOfForm(
  { holder: { account } }: DocumentRequest,
  body: () => Promise<unknown>,
): Promise<RequestFields> {
  const request = await body();
  if (!isObject(request)) throw invalidRequest(['The request must be an object']);
  const { preset, ...others } = request;
  const isLadder = preset === 'hls' && readPreset(account, preset).source === 'shipped';
  const resolved = resolvePresets(isLadder ? others : request, presetsOf(account));
  if (resolved.validationErrors.length > 0) throw invalidRequest(resolved.validationErrors);
  const { output, outputs, ...job } = isObject(resolved.body) ? resolved.body : {};
  const [settings = {}, ...more] = outputListOf({ output, outputs });
  if (more.length > 0 || !isObject(settings))
    throw invalidRequest([
      'The ladder makes the outputs: give one output with the settings of all renditions.',
    ]);
  try {
    const made = ladderOutputs(settings, {
      ...{ kind: 'cmaf', heights: defaultHeights, baseUrl: null, flags: 'the ladder of renditions' },
      termOf: (name) => name,
    });
    return { ...job, outputs: made };
  } catch (error) {
    throw isVencError(error, 'UsageError') ? invalidRequest([error.message]) : error;
  }
}
