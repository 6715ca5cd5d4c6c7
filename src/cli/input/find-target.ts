import type { Target } from '../../client/target.js';
import type { Environment } from '../../config/folders.js';
import { localTarget, type NamedTarget, readTargets, saveKeyInQuery } from '../../config/targets.js';
import { VencError } from '../../shared/errors.js';
import { findSuggestions } from '../../shared/text/suggestions.js';

/** The target with this name; null for the local daemon. Rejects with `UsageError` if there is no such target. */
export async function findTarget(env: Environment, name: string): Promise<Target | null> {
  if (name === localTarget) return null;
  const targets = await readTargets(env);
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw unknownTarget(name, targets);
  return {
    url: found.url,
    apiKey: found.apiKey,
    isKeyInQuery: found.isKeyInQuery,
    rememberKeyInQuery: () => saveKeyInQuery(env, found),
    hint: `check the address of the target ${name}: venc target list`,
  };
}

/** The error for an unknown target name. */
export function unknownTarget(name: string, targets: readonly NamedTarget[]): VencError {
  const suggestions = findSuggestions(name, [...targets.map((target) => target.name), localTarget]);
  return new VencError('UsageError', `There is no target ${JSON.stringify(name)}.`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : 'venc target list shows all targets, venc target add adds one',
  });
}
