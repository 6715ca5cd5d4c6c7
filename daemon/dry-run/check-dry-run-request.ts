import { invalidRequest, VencError } from '../../src/shared/errors.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { toReportedWarnings } from '../../src/shared/settings/report-warnings.js';
import { toReportedErrors } from '../../src/shared/settings/sent-paths.js';
import type { ReportedWarning } from '../../src/shared/settings/setting.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import type { ResolvedOutput } from '../actions/check-outputs.js';
import { checkRequest, validPartsOf } from '../actions/check-request.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import { noSavedCredentials } from '../jobs/saved-credentials.js';
import { type HostKind, parseRemoteUrl } from '../transfer/remote-url.js';
import { createFileTransport } from '../transports/file/file-transport.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { parseHttpUrl } from '../transports/http/http-url.js';
import { registerTransports } from '../transports/registry.js';
import type { Transport } from '../transports/transport.js';

/** A valid request, with its input as a path. */
interface CheckedDryRun {
  readonly input: string;
  readonly isTest: boolean;
  readonly outputs: readonly ResolvedOutput[];
  readonly requestWarnings: readonly ReportedWarning[];
}

/** Checks a request as `createJob` does. Rejects with every validation error at once. */
export async function checkDryRunRequest(body: unknown, ffmpeg: Ffmpeg): Promise<CheckedDryRun> {
  const parsed = parseJobRequest(body, { maxOutputs: defaultMaxOutputs });
  const transports = registerTransports([...offlineTransports, createFileTransport('anywhere')]);
  const context = { account: { id: 'default' }, baseUrl: 'http://localhost' };
  const parts = validPartsOf(parsed);
  const { outputs, validationErrors, warnings } = await checkRequest(
    { transports, savedCredentials: noSavedCredentials, ffmpeg, sendsMail: false, randomToken },
    context,
    parts,
  );
  const local = parseFileUrl(parts.input ?? '');
  const all = toReportedErrors(parsed.ok ? [] : parsed.validationErrors, validationErrors, body);
  if (all.length > 0) throw invalidRequest(all);
  if (!local.ok) {
    throw new VencError('UsageError', 'plan needs a local input file, and the input is a remote URL.', {
      hint: 'download it first: the content of the file decides how it is encoded',
    });
  }
  return {
    input: local.path,
    isTest: parsed.ok && (parsed.request.test ?? false),
    outputs,
    requestWarnings: toReportedWarnings([...parsed.warnings, ...warnings], body),
  };
}

/** Returns why a URL cannot be used; null if it can. */
type Check = NonNullable<Transport['checkInput']>;

const rejectTransfer = () => Promise.reject(new TypeError('a dry run transfers nothing'));

const checkHttp: Check = async (url) => {
  const parsed = parseHttpUrl(url);
  return parsed.ok ? null : parsed.validationError;
};

const checkRemote =
  (kind: HostKind): Check =>
  async (url) => {
    const parsed = parseRemoteUrl(url, kind);
    return parsed.ok ? null : parsed.validationError;
  };

const bidirectional = (schemes: readonly string[], check: Check): Transport => ({
  schemes,
  checkInput: check,
  checkOutput: check,
  download: rejectTransfer,
  upload: rejectTransfer,
});

/**
 * The network schemes for a dry run. They only validate the form of URLs; the modules that transfer files are
 * not loaded.
 */
const offlineTransports: readonly Transport[] = [
  { schemes: ['http', 'https'], checkInput: checkHttp, download: rejectTransfer },
  { schemes: ['fasp'], checkInput: checkRemote('host'), download: rejectTransfer },
  bidirectional(['ftp', 'ftps', 'sftp'], checkRemote('host')),
  bidirectional(['s3', 'gcs', 'cf'], checkRemote('bucket')),
  // An output without a destination, which a daemon would host.
  { schemes: ['hosted'], upload: rejectTransfer },
];
