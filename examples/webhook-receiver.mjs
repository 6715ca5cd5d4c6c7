// Receives the notifications of a service, and believes only those that it has signed:
//   SECRET=$(venc accounts show default --secret) node webhook-receiver.mjs
// A job names the address of this server in its "notifications".
import { createServer } from 'node:http';
import { SignatureError, verifyNotification } from 'venc/client';

const secret = process.env.SECRET;
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const notification = await verifyNotification(
      { headers: request.headers, body: Buffer.concat(chunks) },
      secret,
    );
    // A notification that was not answered in time is sent again with the same id.
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) {
      seen.add(id);
      const { job, output } = notification;
      console.log(
        output === undefined ? `job ${job.id} is ${job.state}` : `output ${output.id} is ${output.state}`,
      );
    }
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    response.writeHead(401).end(`${error.message}\n`);
  }
});

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
