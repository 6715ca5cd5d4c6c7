import { suite } from 'uvu';
import { crashFacts } from './job-store/crash-facts.js';
import { idempotencyFacts } from './job-store/idempotency-facts.js';
import { listFacts } from './job-store/list-facts.js';
import { listenerFacts } from './job-store/listener-facts.js';
import { notificationFacts } from './job-store/notification-facts.js';
import { positionFacts } from './job-store/position-facts.js';
import { quotaFacts } from './job-store/quota-facts.js';
import { removalFacts } from './job-store/removal-facts.js';
import { searchFacts } from './job-store/search-facts.js';
import { storageFacts } from './job-store/storage-facts.js';
import type { CreateStoreHarness, StoreContext, StoreFacts, StoreHarness } from './job-store/store-facts.js';
import { updateFacts } from './job-store/update-facts.js';
import { usageFacts } from './job-store/usage-facts.js';

/** The options of `jobStoreContract`. */
interface ContractOptions {
  /** Ends what all harnesses share, after the last test. */
  readonly end?: () => Promise<void>;
}

/**
 * Tests that every `JobStore` implementation must pass. They use only the interface and a harness that opens stores, simulates
 * crashes, and makes a chosen write step fail.
 */
export function jobStoreContract(
  name: string,
  create: CreateStoreHarness,
  options: ContractOptions = {},
): void {
  const test = suite<StoreContext>(name);
  let harnesses: StoreHarness[] = [];
  const createHarness = async () => {
    const harness = await create();
    harnesses.push(harness);
    return harness;
  };

  test.before.each(async (context) => {
    const harness = await createHarness();
    Object.assign(context, harness, { createHarness, store: await harness.open() });
  });
  test.after.each(async () => {
    for (const harness of harnesses) await harness.close?.();
    harnesses = [];
  });
  test.after(async () => options.end?.());

  const facts: StoreFacts = {
    ...storageFacts,
    ...idempotencyFacts,
    ...listFacts,
    ...searchFacts,
    ...notificationFacts,
    ...usageFacts,
    ...quotaFacts,
    ...updateFacts,
    ...removalFacts,
    ...positionFacts,
    ...listenerFacts,
    ...crashFacts,
  };
  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}
