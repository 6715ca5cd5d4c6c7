import { isVencError } from '../../../src/shared/errors.js';
import type { PresetListRecord } from '../../../src/shared/records.js';
import { defaultHeights, ladderOutputs } from '../../../src/shared/settings/ladder-outputs.js';
import { outputListOf, resolvePresets } from '../../../src/shared/settings/presets.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { parseJsonSyntax } from '../../../src/shared/text/json-syntax.js';
import { isObject } from '../../../src/shared/util/is-object.js';

/** What the form asks for. */
interface FormSettings {
  /** The name of a preset; empty without one. */
  readonly preset: string;
  /** Whether renditions for streaming are made. */
  readonly hasLadder: boolean;
  /** JSON; empty without more settings. */
  readonly more: string;
}

/** A request without its input, or what is wrong with the form. */
export type FormRequest = { readonly request: RequestFields } | { readonly errors: readonly string[] };

/** Fields of a request that the form sets itself. */
const ownFields = ['input', 'mock', 'api_key'];

/** The request that the form asks for. `presets` reads the presets of the account, whose settings a ladder needs. */
export async function requestOfForm(
  { preset, hasLadder, more }: FormSettings,
  presets: () => Promise<PresetListRecord['presets']>,
): Promise<FormRequest> {
  const parsed = more.trim() === '' ? { value: {} } : parseJsonSyntax(more);
  if (!('value' in parsed)) {
    const place = parsed.position === null ? '' : ` at ${parsed.position}`;
    return { errors: [`More settings: there is a syntax error in the JSON${place}.`] };
  }
  const { value } = parsed;
  if (!isObject(value))
    return { errors: ['More settings must be a JSON object, such as {"outputs": [{"height": 720}]}.'] };
  const own = ownFields.find((name) => name in value);
  if (own !== undefined) return { errors: [`More settings must not have ${own}: leave it out.`] };
  const request = { ...(preset === '' ? {} : { preset }), ...value };
  return hasLadder ? withLadder(request, await presets()) : { request };
}

/** A request with the outputs of a ladder in place of its one output, as `venc submit --hls` makes them. */
function withLadder(request: RequestFields, presets: PresetListRecord['presets']): FormRequest {
  const { preset, ...others } = request;
  const isShippedLadder = presets.some(
    ({ name, source }) => name === preset && name === 'hls' && source === 'shipped',
  );
  const resolved = resolvePresets(isShippedLadder ? others : request, {
    find: (wanted) => presets.find(({ name }) => name === wanted)?.settings ?? null,
    names: presets.map(({ name }) => name),
  });
  if (resolved.validationErrors.length > 0) return { errors: resolved.validationErrors };
  const { output, outputs, ...job } = isObject(resolved.body) ? resolved.body : {};
  const [settings = {}, ...more] = outputListOf({ output, outputs });
  if (more.length > 0 || !isObject(settings))
    return { errors: ['The ladder makes the outputs: give one output with the settings of all renditions.'] };
  try {
    const made = ladderOutputs(settings, {
      ...{ kind: 'cmaf', heights: defaultHeights, baseUrl: null, flags: 'the ladder of renditions' },
      termOf: (name) => name,
    });
    return { request: { ...job, outputs: made } };
  } catch (error) {
    if (!isVencError(error, 'UsageError')) throw error;
    return { errors: [error.message] };
  }
}
