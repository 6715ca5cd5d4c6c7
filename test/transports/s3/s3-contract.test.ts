import { transportContract } from '../../contracts/transport.js';
import { s3rverKeys, startS3rver } from '../../helpers/servers/s3rver.js';
import { bucketHarness, transportTo } from './s3-harness.js';

const { endpoint, close } = await startS3rver(['films']);
const service = { endpoint, region: 'us-east-1', keys: s3rverKeys };
const transport = transportTo(service);
const stage = { transport, service, against: 's3rver 3.7', checksSecrets: false, close };

transportContract('s3', await bucketHarness(stage));
