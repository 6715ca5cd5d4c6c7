import type { Direction } from '../../../daemon/transfer/disk-errors.js';
import type { Transport } from '../../../daemon/transports/transport.js';
import type { ErrorClass } from '../../../src/shared/error-classes.js';

/** An address that leads to an error, and the error class that it has to end with. */
export interface ErrorCase {
  /** What is wrong, to complete the test title "reports ...". */
  readonly what: string;
  readonly errorClass: ErrorClass;
  /** The address; a password in it is `secret`. Called once before it is used. */
  readonly url: () => Promise<string>;
  /** A transport of its own, if the error does not come from the address alone. */
  readonly transport?: Transport;
}

/** What goes wrong with every scheme, and the class it has on all of them (section 3 of the contract). */
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
    'a place without permission': 'UploadAccessDeniedError',
    'a full target': 'UploadFailureError',
    'a refused connection': 'UploadFailureError',
    'a host that does not exist': 'UploadFailureError',
    'a metadata service': 'ForbiddenAddressError',
    'a server that stalls': 'UploadTimeoutError',
  },
} as const satisfies Record<Direction, Record<string, ErrorClass>>;

/** Why a trouble cannot come about with a scheme, as a sentence for readers of the table. */
interface NotApplicable {
  readonly notApplicable: string;
}

/** How one of the troubles is brought about: by an address, where need be of a transport that was made for it; or why it cannot. */
type CommonErrorCase =
  | (() => Promise<string>)
  | { readonly transport: Transport; readonly url: () => Promise<string> }
  | NotApplicable;

type CommonErrorCases<D extends Direction> = Readonly<Record<keyof (typeof classes)[D], CommonErrorCase>>;

/** Every trouble that all schemes have on the way in. None may be left out: what cannot be is told with its reason. */
export type DownloadErrorCases = CommonErrorCases<'download'>;
/** Every trouble that all schemes have on the way out. */
export type UploadErrorCases = CommonErrorCases<'upload'>;

/** That a trouble cannot come about, with the reason. */
export function notApplicable(why: string): NotApplicable {
  return { notApplicable: why };
}

/** The troubles of hosts that are not to be reached, for schemes whose URLs name a host: `urlAt` puts one, with its port, into a URL. */
export function unreachableHosts(urlAt: (host: string) => string) {
  return {
    'a refused connection': async () => urlAt('127.0.0.1:1'),
    'a host that does not exist': async () => urlAt('nowhere.invalid'),
    'a metadata service': async () => urlAt('169.254.169.254'),
  } as const;
}

const noHost = notApplicable('no other machine is spoken to');

/** The troubles of networks that files of this machine do not have. */
export const noNetwork = {
  'a wrong password': notApplicable('there are no passwords'),
  'a refused connection': noHost,
  'a host that does not exist': noHost,
  'a metadata service': noHost,
  'a server that stalls': noHost,
} as const;

/** A trouble that cannot be brought about, and why. */
interface InapplicableCase {
  readonly what: string;
  readonly errorClass: ErrorClass;
  readonly why: string;
}

/** The troubles that can be brought about, as cases; and those that cannot, with the reasons. */
export function commonCases(
  direction: Direction,
  errorCases: DownloadErrorCases | UploadErrorCases,
): { readonly cases: readonly ErrorCase[]; readonly inapplicable: readonly InapplicableCase[] } {
  const classOf: Readonly<Record<string, ErrorClass>> = classes[direction];
  const cases: ErrorCase[] = [];
  const inapplicable: InapplicableCase[] = [];
  for (const [what, errorCase] of Object.entries(errorCases)) {
    const errorClass = classOf[what];
    if (errorClass === undefined) throw new TypeError(`${what} is no trouble of a ${direction}`);
    if ('notApplicable' in errorCase) inapplicable.push({ what, errorClass, why: errorCase.notApplicable });
    else if (typeof errorCase === 'function') cases.push({ what, errorClass, url: errorCase });
    else cases.push({ what, errorClass, ...errorCase });
  }
  return { cases, inapplicable };
}
