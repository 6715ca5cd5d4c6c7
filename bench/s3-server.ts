import { startS3rver } from '../test/helpers/servers/s3rver.js';

/*
 * A program of its own: an S3 server with the bucket `films`, which keeps its objects in the folder that is its argument. Says its address.
 */

const [folder] = process.argv.slice(2);
const { endpoint } = await startS3rver(['films'], folder);
console.log(endpoint);
