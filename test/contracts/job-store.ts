import { suite } from 'uvu';
import { enduring } from './job-store/enduring.js';
import { keeping } from './job-store/keeping.js';
import { listing } from './job-store/listing.js';
import { noticing } from './job-store/noticing.js';
import { removing } from './job-store/removing.js';
import { repeating } from './job-store/repeating.js';
import type { StoreContext, StoreFacts, StoreHarness } from './job-store/store-facts.js';
import { updating } from './job-store/updating.js';
import { using } from './job-store/using.js';
import { watching } from './job-store/watching.js';

/**
 * The promises of a `JobStore`, as tests. Every implementation is held to them, through nothing but the interface and a
 * harness that opens stores, lets them die, and makes their writing fail at a step of choice.
 */
export function jobStoreContract(name: string, harness: StoreHarness): void {
  const test = suite<StoreContext>(name);

  test.before.each(async (context) => {
    const room = await harness();
    Object.assign(context, room, { harness, store: await room.open() });
  });

  const facts: StoreFacts = {
    ...keeping,
    ...repeating,
    ...listing,
    ...noticing,
    ...using,
    ...updating,
    ...removing,
    ...watching,
    ...enduring,
  };
  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}
