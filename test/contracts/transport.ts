import { suite } from 'uvu';
import { createContractRecorder } from './transport/contract-recorder.js';
import { downloadFacts } from './transport/download-facts.js';
import type { TransportHarness } from './transport/transport-harness.js';
import { uploadFacts } from './transport/upload-facts.js';

/**
 * Tests that every `Transport` must pass: transfers are complete or leave nothing, are measured and can be cancelled, errors have the same
 * classes on every scheme, and messages contain no secrets. The harness of a scheme supplies the server and URLs that cause errors.
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
