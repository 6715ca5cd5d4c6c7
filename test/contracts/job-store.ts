import { suite } from 'uvu';
import { crashFacts } from './job-store/enduring.js';
import { storageFacts } from './job-store/keeping.js';
import { listFacts } from './job-store/listing.js';
import { notificationFacts } from './job-store/noticing.js';
import { removalFacts } from './job-store/removing.js';
import { idempotencyFacts } from './job-store/repeating.js';
import type { CreateStoreHarness, StoreContext, StoreFacts } from './job-store/store-facts.js';
import { updateFacts } from './job-store/updating.js';
import { usageFacts } from './job-store/using.js';
import { listenerFacts } from './job-store/watching.js';

/**
 * The promises of a `JobStore`, as tests. Every implementation is held to them, through nothing but the interface and a
 * harness that opens stores, lets them die, and makes their writing fail at a step of choice.
 */
export function jobStoreContract(name: string, createHarness: CreateStoreHarness): void {
  const test = suite<StoreContext>(name);

  test.before.each(async (context) => {
    const harness = await createHarness();
    Object.assign(context, harness, { createHarness, store: await harness.open() });
  });

  const facts: StoreFacts = {
    ...storageFacts,
    ...idempotencyFacts,
    ...listFacts,
    ...notificationFacts,
    ...usageFacts,
    ...updateFacts,
    ...removalFacts,
    ...listenerFacts,
    ...crashFacts,
  };
  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}
