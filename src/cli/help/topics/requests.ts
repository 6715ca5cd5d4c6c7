/** `venc help requests`. */
export const requestsTopic = `A request describes an input and its outputs. It is the JSON body of POST /v2/jobs:

  {
    "input": "https://example.com/film.mov",
    "outputs": [
      {"label": "web", "filename": "web.mp4", "width": 1280},
      {"label": "audio", "filename": "audio.mp3"}
    ]
  }

From a file (.json, .xml) or from stdin, by submit, run and plan:

  venc submit request.json
  venc submit a.json b.json film.mov        a job for each
  jq '.test = true' request.json | venc submit -
  venc submit - --xml < request.xml
  venc submit - --ndjson < jobs.ndjson      one request per line

A flag overrides the request, and --output overrides a flag. Flags apply to every output; each
--output adds an output with its own settings:

  venc submit film.mov --quality 4 --output filename=web.mp4 \\
    --output filename=small.mp4,width=640
  venc submit film.mov --output @small.json \\
    --output '{"filename": "web.mp4", "width": 1280}'

In name=value,name=value, put a value with a comma in double quotes: 'label="a, b"'.
Other users of the machine can see arguments: pass requests with passwords through stdin.

venc plan prints the ffmpeg commands for a request on this machine; venc submit --mock has
the service validate it without queueing anything.
`;
