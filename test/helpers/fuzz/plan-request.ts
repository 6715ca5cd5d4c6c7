import * as assert from 'uvu/assert';
import type { ResolvedOutput } from '../../../daemon/actions/check-outputs.js';
import { checkRequest, validPartsOf } from '../../../daemon/actions/check-request.js';
import { assumedCaptions, assumedCovers } from '../../../daemon/dry-run/assumed-files.js';
import { encodedSourceOf, planWithSources, skippedOutputs } from '../../../daemon/dry-run/plan-outputs.js';
import type { Ffmpeg } from '../../../daemon/ffmpeg/index.js';
import type { MediaFacts } from '../../../daemon/jobs/media.js';
import { noSavedCredentials } from '../../../daemon/jobs/saved-credentials.js';
import { segmentGridsOf } from '../../../daemon/plan/decide/packaging.js';
import { plan } from '../../../daemon/plan/plan.js';
import type { OutputToPlan, Plan, WatermarkImage } from '../../../daemon/plan/plan-types.js';
import { expectedMedia } from '../../../daemon/plan/product.js';
import { registerTransports } from '../../../daemon/transports/registry.js';
import { errorClasses } from '../../../src/shared/error-classes.js';
import { parseJobRequest } from '../../../src/shared/settings/parse-job-request.js';
import { fileNameInUrl } from '../../../src/shared/text/url-text.js';
import type { Choices } from './choices.js';
import type { Fields } from './generate-request.js';
import { generateMediaFacts } from './media-facts.js';

const accepts = () => Promise.resolve(null);
const transports = registerTransports([
  {
    schemes: ['http', 'https', 'ftp', 'ftps', 'sftp', 's3', 'gcs', 'cf', 'fasp', 'file'],
    checkInput: accepts,
    checkOutput: accepts,
  },
]);

/** The outputs of a request that the daemon accepted, with what the checks made of their settings. */
export async function resolveOutputs(body: Fields, ffmpeg: Ffmpeg): Promise<readonly ResolvedOutput[]> {
  const parsed = parseJobRequest(body, { maxOutputs: 50 });
  const deps = {
    transports,
    savedCredentials: noSavedCredentials,
    ffmpeg,
    sendsMail: false,
    randomToken: () => 'token',
  };
  const context = { account: { id: 'default' }, baseUrl: 'http://localhost' };
  const { outputs } = await checkRequest(deps, context, validPartsOf(parsed));
  return outputs;
}

/** Plans an accepted request for generated inputs, and checks every argument list and every rejection. Returns the number of rejections. */
export async function checkPlans(body: Fields, ffmpeg: Ffmpeg, choices: Choices): Promise<number> {
  const outputs = await resolveOutputs(body, ffmpeg);
  const media = generateMediaFacts(choices);
  const about = `${JSON.stringify(body)}\n${JSON.stringify(media)}`;
  const made = planOutputs(outputs, media, ffmpeg, choices, about);
  for (const { args } of made.steps) checkArguments(args, about);
  for (const { runs } of made.measurements) for (const args of runs) checkArguments(args, about);
  for (const { warnings } of made.products) for (const warning of warnings) checkSentence(warning, about);
  for (const { failure } of made.rejections) {
    checkSentence(failure.message, about);
    assert.ok(
      failure.errorClass in errorClasses && failure.errorClass !== 'InternalError',
      `${failure.errorClass}: ${about}`,
    );
  }
  return made.rejections.length;
}

function planOutputs(
  resolved: readonly ResolvedOutput[],
  media: MediaFacts,
  ffmpeg: Ffmpeg,
  choices: Choices,
  about: string,
): Plan {
  try {
    const skipped = skippedOutputs(resolved, () => media);
    const encoded = resolved.flatMap(({ settings, outputDestination }, index): readonly OutputToPlan[] => {
      const isEncoded = !['transfer-only', 'playlist', 'captions'].includes(settings.type ?? '');
      if (!isEncoded || skipped.has(index + 1)) return [];
      const { source: _, ...others } = settings;
      const source = encodedSourceOf(settings, resolved);
      return [
        {
          id: index + 1,
          settings: source === undefined ? others : { ...others, source },
          filename: fileNameInUrl(outputDestination.destination),
          isTest: choices.chance(0.3),
          watermarks: (settings.watermark ?? []).map(() => watermark(choices)),
          captions: assumedCaptions(media, settings),
          covers: assumedCovers(media, settings),
          segmentGrids: segmentGridsOf(
            settings,
            resolved.map((other) => other.settings),
          ),
          frameAtStart: choices.pick([null, null, 0, 0.04]),
        },
      ];
    });
    return planWithSources(encoded, (outputs, source) =>
      plan(
        outputs,
        source === null ? media : expectedMedia(source),
        { input: source?.path ?? '/in/input', scratch: '/scratch' },
        ffmpeg.capabilities,
      ),
    );
  } catch (error) {
    throw new Error(`plan() threw ${error instanceof Error ? error.stack : String(error)}\n${about}`);
  }
}

function watermark(choices: Choices): WatermarkImage {
  return {
    path: '/in/watermark.png',
    demuxer: choices.pick(['png_pipe', 'jpeg_pipe', 'bmp_pipe', 'gif'] as const),
    width: choices.pick([1, 64, 6000]),
    height: choices.pick([1, 64, 6000]),
  };
}

/** What a value that was not checked looks like in a text. No generated text contains these words. */
const brokenValue = /undefined|\bNaN\b|\[object |Infinity|(?<![\w.-])-?\d+(?:\.\d+)?e[+-]\d+/;

function checkArguments(args: readonly string[], about: string): void {
  for (const arg of args)
    assert.ok(
      typeof arg === 'string' && !brokenValue.test(arg) && !arg.includes('\0'),
      `the argument ${arg} in ${args.join(' ')}: ${about}`,
    );
}

function checkSentence(sentence: string, about: string): void {
  assert.ok(sentence.length > 8 && !brokenValue.test(sentence), `the sentence "${sentence}": ${about}`);
}
