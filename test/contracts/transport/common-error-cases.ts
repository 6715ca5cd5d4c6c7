import type { Direction } from '../../../daemon/transfer/disk-errors.js';
import type { Transport } from '../../../daemon/transports/transport.js';
import type { ErrorClass } from '../../../src/shared/error-classes.js';

/** A URL that causes an error, and the expected error class. */
export interface ErrorCase {
  /** What is wrong, to complete the test title "reports ...". */
  readonly what: string;
  readonly errorClass: ErrorClass;
  /** Resolves to the URL; a password in it is `secret`. Called once before the URL is used. */
  readonly url: () => Promise<string>;
  /** A separate transport, if the URL does not cause the error by itself. */
  readonly transport?: Transport;
}

/** The errors of every scheme, and the class they have on all of them (section 3 of the contract). */
const classes = {
  download: {
    'a wrong password': 'InvalidUsernameOrPasswordError',
    'a missing file': 'FileNotFoundError',
    'a file without permission': 'DownloadAccessDeniedError',
    'a refused connection': 'DownloadFailureError',
    'a host that does not exist': 'DownloadFailureError',
    'a metadata service': 'ForbiddenAddressError',
    'a server that stalls': 'DownloadTimeoutError',
  },
  upload: {
    'a wrong password': 'InvalidUsernameOrPasswordError',
    'a destination without permission': 'UploadAccessDeniedError',
    'a full destination': 'UploadFailureError',
    'a refused connection': 'UploadFailureError',
    'a host that does not exist': 'UploadFailureError',
    'a metadata service': 'ForbiddenAddressError',
    'a server that stalls': 'UploadTimeoutError',
  },
} as const satisfies Record<Direction, Record<string, ErrorClass>>;

/** Why an error cannot occur with a scheme, as a sentence for readers of the table. */
interface NotApplicable {
  readonly notApplicable: string;
}

/** How to cause a common error: a URL, if needed with a transport of its own; or why the error cannot occur. */
type CommonErrorCase =
  | (() => Promise<string>)
  | { readonly transport: Transport; readonly url: () => Promise<string> }
  | NotApplicable;

type CommonErrorCases<D extends Direction> = Readonly<Record<keyof (typeof classes)[D], CommonErrorCase>>;

/** The download errors that every scheme has. None may be omitted: an error that cannot occur needs a reason. */
export type DownloadErrorCases = CommonErrorCases<'download'>;
/** The upload errors that every scheme has. */
export type UploadErrorCases = CommonErrorCases<'upload'>;

/** Marks an error that cannot occur, with the reason. */
export function notApplicable(why: string): NotApplicable {
  return { notApplicable: why };
}

/** The errors of unreachable hosts, for schemes whose URLs name a host. `urlAt` puts a host with its port into a URL. */
export function unreachableHosts(urlAt: (host: string) => string) {
  return {
    'a refused connection': async () => urlAt('127.0.0.1:1'),
    'a host that does not exist': async () => urlAt('nowhere.invalid'),
    'a metadata service': async () => urlAt('169.254.169.254'),
  } as const;
}

const noHost = notApplicable('no other machine is involved');

/** The network errors that files of this machine do not have. */
export const noNetwork = {
  'a wrong password': notApplicable('there are no passwords'),
  'a refused connection': noHost,
  'a host that does not exist': noHost,
  'a metadata service': noHost,
  'a server that stalls': noHost,
} as const;

/** An error that cannot occur, and why. */
interface InapplicableCase {
  readonly what: string;
  readonly errorClass: ErrorClass;
  readonly why: string;
}

/** Splits the common errors into test cases and inapplicable ones with their reasons. */
export function commonCases(
  direction: Direction,
  errorCases: DownloadErrorCases | UploadErrorCases,
): { readonly cases: readonly ErrorCase[]; readonly inapplicable: readonly InapplicableCase[] } {
  const classOf: Readonly<Record<string, ErrorClass>> = classes[direction];
  const cases: ErrorCase[] = [];
  const inapplicable: InapplicableCase[] = [];
  for (const [what, errorCase] of Object.entries(errorCases)) {
    const errorClass = classOf[what];
    if (errorClass === undefined) throw new TypeError(`${what} is not a common ${direction} error`);
    if ('notApplicable' in errorCase) inapplicable.push({ what, errorClass, why: errorCase.notApplicable });
    else if (typeof errorCase === 'function') cases.push({ what, errorClass, url: errorCase });
    else cases.push({ what, errorClass, ...errorCase });
  }
  return { cases, inapplicable };
}
