import { suite } from 'uvu';
import { crashFacts } from './job-store/crash-facts.js';
import { idempotencyFacts } from './job-store/idempotency-facts.js';
import { listFacts } from './job-store/list-facts.js';
import { listenerFacts } from './job-store/listener-facts.js';
import { notificationFacts } from './job-store/notification-facts.js';
import { removalFacts } from './job-store/removal-facts.js';
import { storageFacts } from './job-store/storage-facts.js';
import type { CreateStoreHarness, StoreContext, StoreFacts } from './job-store/store-facts.js';
import { updateFacts } from './job-store/update-facts.js';
import { usageFacts } from './job-store/usage-facts.js';

/**
 * Tests that every `JobStore` implementation must pass. They use only the interface and a harness that opens stores, simulates
 * crashes, and makes a chosen write step fail.
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
