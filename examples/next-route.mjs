// A route of Next.js, app/films/route.js: the body of a POST is a film, the answer is the film for browsers, sent while it
// is encoded. next.config.mjs needs serverExternalPackages: ['venc'].
//   curl --data-binary @film.mov http://127.0.0.1:3000/films -o film.mp4
import { encode } from 'venc';

export const runtime = 'nodejs';

/** @param {Request} request */
export async function POST(request) {
  if (request.body === null) return Response.json({ message: 'Send a film.' }, { status: 400 });
  const { readable, writable } = new TransformStream();
  // MP4 in fragments can be played before its end.
  const job = encode(
    request.body,
    { output: writable, format: 'm4f', height: 360, upscale: false },
    { signal: request.signal },
  );
  // If the encoding fails before the first byte, the client gets an error instead of half a film.
  const reader = readable.getReader();
  const first = await reader.read().catch(() => null);
  if (first === null) {
    const error = await job.catch((reason) => reason);
    return Response.json({ code: error.code, message: error.message }, { status: 422 });
  }
  return new Response(rest(reader, first), { headers: { 'Content-Type': 'video/mp4' } });
}

/** A stream of a chunk that was read already, and of what comes after it. */
function rest(reader, first) {
  return new ReadableStream({
    start: (controller) => controller.enqueue(first.value),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
