/** `venc help recipes`. */
export const recipesTopic = `Encode a folder of films on this machine, one after the other:

  for film in in/*.mov; do
    venc run "$film" -o "out/$(basename "$film" .mov).mp4" ||
      echo "$film" >> failed.txt
  done

The same through the daemon, which queues the jobs and runs them in parallel:

  for film in in/*.mov; do venc submit "$film"; done > ids.txt
  xargs venc wait < ids.txt
  xargs venc download -o out < ids.txt

List the failed jobs and their errors, with jq:

  venc list --state failed --json | jq -r '.[] |
    [.id, .input_media_file.error_message,
     .output_media_files[].error_message] | @tsv'

Resubmit all failed jobs after a failure of a service:

  venc resubmit --state failed --yes

From cron, without progress and with output only on errors:

  15 3 * * * venc submit /srv/today.mov --wait --progress none >/dev/null

Three sizes of one film in one job:

  venc submit film.mov --output filename=a.mp4,height=1080 \\
    --output filename=b.mp4,height=720 \\
    --output filename=c.mp4,height=360

The same settings for many films, saved under a name:

  venc preset save web --video-codec vp9 --height 720 --quality 4
  venc submit film.mov --preset web
`;
