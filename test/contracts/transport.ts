import { suite } from 'uvu';
import { createContractRecorder } from './transport/contract-recorder.js';
import { downloadFacts } from './transport/download-facts.js';
import type { TransportHarness } from './transport/transport-harness.js';
import { uploadFacts } from './transport/upload-facts.js';

/**
 * The promises of a `Transport`, as tests: whole or not at all, measured, stopped without a trace, the same classes of error on every
 * scheme, and no secret in any message. A scheme brings the other side of its transfers, and addresses that lead to trouble.
 */
export function transportContract(name: string, harness: TransportHarness): void {
  const test = suite(name);
  const transport = () => harness.transport;
  const recorder = createContractRecorder(test, name, harness.against ?? 'a small server of the tests');
  if (harness.download !== undefined) downloadFacts(recorder, harness.download, transport);
  if (harness.upload !== undefined) uploadFacts(recorder, harness.upload, transport);
  test.after(async () => {
    await harness.close?.();
  });
  test.run();
}
