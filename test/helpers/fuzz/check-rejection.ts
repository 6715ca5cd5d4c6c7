import * as assert from 'uvu/assert';
import type { FuzzClient } from './fuzz-client.js';
import type { Fields } from './generate-request.js';
import type { MutatedRequest } from './mutate-request.js';
import { namedPath, removeNamed } from './named-fields.js';

/** The most rounds in which a rejected request is corrected: an error may hide others. */
const maxRounds = 12;

/**
 * Corrects a rejected request by removing the fields that its errors name, until it is accepted. So each error must name a field that was
 * sent, and removing these must be enough. Resolves to the accepted request.
 */
export async function correct(
  client: FuzzClient,
  body: Fields,
  firstErrors: readonly string[],
): Promise<Fields> {
  const corrected = structuredClone(body);
  let errors = firstErrors;
  for (let round = 0; round < maxRounds; round += 1) {
    assert.ok(
      removeNamed(corrected, errors),
      `no error names a field of the request: ${errors.join(' | ')}\n${JSON.stringify(body)}`,
    );
    const answer = await client.create(corrected);
    if (answer.ok) return corrected;
    errors = answer.errors;
  }
  throw new Error(
    `the request is rejected without the fields that errors named: ${errors.join(' | ')}\n${JSON.stringify(body)}\n${JSON.stringify(corrected)}`,
  );
}

/** Checks the answer to an accepted request to which one invalid value was added: it is rejected, and names only that value. */
export async function checkWrongValue(client: FuzzClient, { body, field }: MutatedRequest): Promise<void> {
  const answer = await client.create(body);
  const sent = JSON.stringify(body);
  if (answer.ok) throw new Error(`the invalid ${field} was accepted: ${sent}`);
  const { errors } = answer;
  const name = field.replace(/^.*\./, '');
  const others = errors.filter(
    (sentence) => !isAbout(namedPath(sentence), field) && !sentence.includes(name),
  );
  assert.ok(
    errors.some((sentence) => isAbout(namedPath(sentence), field)),
    `no error names ${field}: ${errors.join(' | ')}\n${sent}`,
  );
  assert.equal(others, [], `errors about fields other than ${field}: ${sent}`);
}

/** Whether a path is that of a field, or of a part of it. */
function isAbout(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`);
}

/** Checks the answer to an accepted request to which an unknown name was added: a warning names it, and in strict mode an error. */
export async function checkUnknownName(client: FuzzClient, { body, field }: MutatedRequest): Promise<void> {
  const answer = await client.create(body);
  const sent = JSON.stringify(body);
  const isStrict = /"strict(?:_mode|-mode)?":(?:true|1|"(?:true|1|TRUE)")/.test(sent);
  if (answer.ok) {
    const warnings = answer.created.warnings ?? [];
    const isListed = warnings.some((warning) => warning.field === field) || warnings.length >= 100;
    assert.ok(isListed, `no warning names the unknown ${field}: ${JSON.stringify(warnings)}\n${sent}`);
    return;
  }
  assert.ok(isStrict, `an unknown name was rejected: ${answer.errors.join(' | ')}\n${sent}`);
  assert.ok(
    answer.errors.some((sentence) => sentence.startsWith(`${field} is not known`)),
    `no error names the unknown ${field}: ${answer.errors.join(' | ')}\n${sent}`,
  );
}
