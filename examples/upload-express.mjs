// A server that takes films and returns them smaller:
//   npm i express venc && node upload-express.mjs
//   curl -T film.mov http://127.0.0.1:3000/films/film.mov -o film.mp4
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { encode, InputError, InvalidRequestError } from 'venc';

const app = express();

app.put('/films/:name', async (request, response) => {
  const folder = await mkdtemp(join(tmpdir(), 'films-'));
  const controller = new AbortController();
  // A client that goes away ends ffmpeg.
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('The client has closed the connection.'));
  });
  try {
    const output = join(folder, 'film.mp4');
    // The request is a stream of bytes, and so is an input.
    await encode(request, { output, height: 360, upscale: false }, { signal: controller.signal });
    await new Promise((done, failed) =>
      response.sendFile(output, (error) => (error == null ? done() : failed(error))),
    );
  } catch (error) {
    if (response.headersSent || controller.signal.aborted) return;
    const isTheirs = error instanceof InputError || error instanceof InvalidRequestError;
    response.status(isTheirs ? 422 : 500).json({ code: error.code, message: error.message });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
