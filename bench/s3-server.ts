import { startS3rver } from '../test/helpers/servers/s3rver.js';

/*
 * A separate program: an S3 server with the bucket `films`, which stores its objects in the folder given as argument.
 * Prints its URL.
 */

const [folder] = process.argv.slice(2);
const { endpoint } = await startS3rver(['films'], folder);
console.log(endpoint);
