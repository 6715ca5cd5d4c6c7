import type { Transport } from '../../../daemon/transports/transport.js';
import type { ErrorClass } from '../../../src/shared/error-classes.js';

/** An address that leads to trouble, and the class that it has to end with. */
export interface ErrorCase {
  /** What is wrong, to end the sentence "tells of ...". */
  readonly what: string;
  readonly errorClass: ErrorClass;
  /** The address; a password in it is `secret`. Called once before it is used. */
  readonly url: () => Promise<string>;
  /** One that was made for this trouble, where it is not of the address alone. */
  readonly transport?: Transport;
}
