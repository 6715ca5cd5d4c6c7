import type { Child } from 'hono/jsx';
import type { AppContext } from '../../actions/app-context.js';
import type { ComparedFrames } from '../../actions/compared-frames.js';
import type { UploadPlans } from '../../dry-run/plan-upload.js';
import type { PageHolder } from '../../http/request-context.js';
import type { Frame } from '../views/layout.js';

/** A request for a document, or for what its script reads, of somebody who is signed in. */
export interface DocumentRequest {
  readonly appContext: AppContext;
  readonly holder: PageHolder;
  /** Names the session. */
  readonly sessionId: string;
  readonly frames: ComparedFrames;
  readonly plans: UploadPlans;
  /** The way from the address of the document to `/ui/`. */
  readonly root: string;
  /** A parameter of the path. */
  readonly param: (name: string) => string;
  /** A parameter of the query; empty if it is absent. */
  readonly query: (name: string) => string;
  /** A header of the request; empty if it is absent. */
  readonly header: (name: string) => string;
  /** Aborted when the browser has disconnected. */
  readonly signal: AbortSignal;
}

/** A document: its title, what its script begins with, and its content. */
export interface PageDocument extends Pick<Frame, 'title' | 'live'> {
  readonly current: NonNullable<Frame['current']>;
  readonly content: Child;
}
