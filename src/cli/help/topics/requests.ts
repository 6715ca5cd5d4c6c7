/** `venc help requests`. */
export const requestsTopic = `A request says what to make of an input: the body of POST /v2/jobs, as JSON.

  {
    "input": "https://example.com/film.mov",
    "outputs": [
      {"label": "web", "filename": "web.mp4", "width": 1280},
      {"label": "sound", "filename": "sound.mp3"}
    ]
  }

From a file (.json, .xml) or from stdin, by submit, run and plan:

  venc submit request.json
  venc submit a.json b.json film.mov        a job for each
  jq '.test = true' request.json | venc submit -
  venc submit - --xml < request.xml
  venc submit - --ndjson < jobs.ndjson      one request a line

A flag wins over the request, and --output over a flag. Flags hold for every output; each
--output is an output with settings of its own:

  venc submit film.mov --quality 4 --output filename=web.mp4 \\
    --output filename=small.mp4,width=640
  venc submit film.mov --output @small.json \\
    --output '{"filename": "web.mp4", "width": 1280}'

In name=value,name=value a value with a comma stands in double quotes: 'label="a, b"'.
Passwords in arguments can be seen by other users of the machine for a moment: requests with
passwords go through stdin.

venc plan prints what a request comes to on this machine, and venc submit --mock has the
service check it without queueing anything.
`;
