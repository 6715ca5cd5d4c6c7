import { normalize } from 'node:path';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { Placement } from '../jobs/draft.js';
import { thumbnailUrl } from '../jobs/thumbnails.js';
import { checkCombination } from '../plan/check-combination.js';
import type { Capabilities } from '../plan/plan-types.js';
import { unsupportedSettingErrors } from '../plan/supported-settings.js';
import type { Account } from '../store/account-store.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';
import type { Workshop } from './app-context.js';
import { givenFilename, placeOutput } from './resolve-destination.js';

/** Who asks for a job, and under which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a slash at its end. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or left out where there was none. */
  readonly idempotencyKey?: string | null;
}

/** The parts of a workshop that a check takes: `venc plan` has no more of one. */
export type CheckingWorkshop = Pick<Workshop, 'transports' | 'ffmpeg' | 'randomToken'>;

/** The parts of a context that a check takes. */
export type CheckingContext = Pick<CreateContext, 'baseUrl'> & { readonly account: Pick<Account, 'id'> };

/** The sound parts of a request: outputs that have complaints already are undefined. */
export type RequestParts = Partial<Omit<JobRequest, 'outputs'>> & {
  readonly outputs: readonly (OutputSettings | undefined)[];
};

/** An output and its place. */
export interface PlacedOutput {
  readonly settings: OutputSettings;
  readonly placement: Placement;
}

/** What checking came to: the outputs with their places, and every complaint. */
export interface CheckedRequest {
  readonly outputs: readonly PlacedOutput[];
  readonly complaints: readonly string[];
}

/**
 * Checks a request against what can be known without its input: schemes, codecs and containers, this version and its ffmpeg,
 * places taken twice. Parts that are not sound are passed over.
 */
export async function checkRequest(
  workshop: CheckingWorkshop,
  context: CheckingContext,
  parts: RequestParts,
): Promise<CheckedRequest> {
  const outputs: PlacedOutput[] = [];
  const complaints: string[] = [
    ...(parts.input === undefined ? [] : await sourceComplaints(workshop, context, parts.input, 'input')),
  ];
  complaints.push(
    ...unsupportedSettingErrors({ ...parts, outputs: parts.outputs.map((settings) => settings ?? {}) }),
  );
  const taken = new Set<string>();
  for (const [index, settings] of parts.outputs.entries()) {
    if (settings === undefined) continue;
    const path = `outputs[${index}]`;
    const combination = checkCombination(settings, givenFilename(settings), capabilitiesOf(workshop), path);
    if (!combination.ok) {
      complaints.push(...combination.validationErrors);
      continue;
    }
    const placement = placeOutput(settings, {
      extension: combination.extension,
      baseUrl: context.baseUrl,
      randomToken: workshop.randomToken,
    });
    complaints.push(...(await destinationComplaints(workshop, context, settings, placement, path)));
    for (const [number, { url }] of (settings.watermark ?? []).entries()) {
      complaints.push(
        ...(await sourceComplaints(workshop, context, url, `${path}.watermark[${number}].url`)),
      );
    }
    const place = placeOf(placement.destination);
    if (taken.has(place)) complaints.push(`${path} goes to the same place as another output of this job`);
    taken.add(place);
    if (settings.thumbnails !== undefined) {
      // Two outputs may differ in their extension alone, which the names of thumbnails have not.
      const first = placeOf(thumbnailUrl(placement.destination, 0));
      if (taken.has(first)) {
        complaints.push(`${path}.thumbnails go to the same place as those of another output of this job`);
      }
      taken.add(first);
      if (combination.video === null) {
        complaints.push(`${path}.thumbnails must be left out: this output has no picture`);
      }
    }
    outputs.push({ settings, placement });
  }
  return { outputs, complaints };
}

/** What a destination comes down to: a path can be spelt in many ways, and the later output would overwrite the earlier. */
function placeOf(destination: string): string {
  if (schemeOf(destination) !== 'file') return destination;
  const reading = parseFileUrl(destination);
  return reading.ok ? normalize(reading.path) : destination;
}

/** What is wrong with an address that is to be fetched. */
async function sourceComplaints(
  workshop: CheckingWorkshop,
  context: CheckingContext,
  url: string,
  path: string,
): Promise<readonly string[]> {
  const transport = workshop.transports.get(schemeOf(url) ?? '');
  if (transport?.download === undefined) return [`${path} ${unknownScheme(workshop, url, 'download')}`];
  const complaint = await transport.checkInput?.(url, context.account.id);
  return complaint ? [`${path} ${complaint}`] : [];
}

async function destinationComplaints(
  workshop: CheckingWorkshop,
  context: CheckingContext,
  settings: OutputSettings,
  placement: Placement,
  path: string,
): Promise<readonly string[]> {
  const field =
    settings.url !== undefined ? 'url' : settings.base_url !== undefined ? 'base_url' : 'filename';
  const transport = workshop.transports.get(schemeOf(placement.destination) ?? '');
  const isInternal = field !== 'filename' && schemeOf(placement.destination) === 'hosted';
  if (transport?.upload === undefined || isInternal) {
    return [`${path}.${field} ${unknownScheme(workshop, placement.destination, 'upload')}`];
  }
  const complaint = await transport.checkOutput?.(placement.destination, context.account.id);
  return complaint ? [`${path}.${field} ${complaint}`] : [];
}

function unknownScheme(workshop: CheckingWorkshop, url: string, way: 'download' | 'upload'): string {
  const known = [...workshop.transports]
    .filter(([scheme, transport]) => transport[way] !== undefined && scheme !== 'hosted')
    .map(([scheme]) => scheme);
  return `has the scheme "${schemeOf(url) ?? ''}", which this daemon does not take here: it takes ${known.join(', ')}`;
}

function capabilitiesOf(workshop: CheckingWorkshop): Capabilities {
  // refuseWhenTroubled has turned the request away where there is no ffmpeg.
  if (workshop.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return workshop.ffmpeg.capabilities;
}
