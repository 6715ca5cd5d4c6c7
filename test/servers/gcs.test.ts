import { createGcsTransport } from '../../daemon/transports/s3/s3-transport.js';
import { transportContract } from '../contracts/transport.js';
import { s3rverKeys, startS3rver } from '../helpers/servers/s3rver.js';
import { bucketHarness, transportTo } from '../transports/s3/s3-harness.js';

// Google's server is not available locally. The transport uses only its S3-compatible features.
const { endpoint, close } = await startS3rver(['films']);
const service = { endpoint, region: 'auto', keys: s3rverKeys };
const transport = transportTo(service, 2_000, createGcsTransport);
const own = { create: createGcsTransport, scheme: 'gcs', against: 's3rver 3.7', checksSecrets: false };

transportContract('gcs', await bucketHarness({ transport, service, close, ...own }));
