// A function that is called when an object arrives in a bucket, such as AWS Lambda: it creates a job, and does not wait.
// The environment has VENC_URL, VENC_API_KEY and OUTPUT_BUCKET, the bucket of the outputs. The service has the keys of both
// buckets: in its environment, or saved with `venc credentials`.
import { Venc } from 'venc/client';

const venc = new Venc();

/** Handles an event of S3. Returns the ids of the jobs. */
export async function handler(event) {
  const jobs = [];
  for (const { s3 } of event.Records) {
    // Keys in events are encoded as in forms.
    const key = decodeURIComponent(s3.object.key.replaceAll('+', ' '));
    const path = key.split('/').map(encodeURIComponent).join('/');
    const { id } = await venc.jobs.create(
      {
        input: `s3://${s3.bucket.name}/${path}`,
        pass_through: key,
        outputs: [
          {
            label: 'web',
            url: `s3://${process.env.OUTPUT_BUCKET}/${path.replace(/\.[^./]+$/, '')}.mp4`,
            height: 720,
          },
        ],
      },
      // S3 may send an event twice. The second one makes no second job.
      { idempotency_key: `${s3.bucket.name}/${key}/${s3.object.sequencer}` },
    );
    jobs.push(id);
  }
  return jobs;
}
