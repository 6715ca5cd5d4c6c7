import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('a SMIL file names files for a server of RTMP', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x180', 2));
  const daemon = await startTestDaemon({ filesRoots: [folder] });
  const to = (name: string) => ({ url: `file://${folder}/smil/${name}` });
  const id = await daemon.create({
    input: `file://${folder}/in.mp4`,
    outputs: [
      {
        ...to('film.smil'),
        type: 'playlist',
        smil_base_url: 'rtmp://server.example/vod?a=1&b=2',
        streams: [
          { source: 'one' },
          { source: 'two', path: 'rtmp://other.example/b.mp4', bandwidth: 500, width: 10, height: 20 },
        ],
      },
      { ...to('low/one.mp4'), label: 'one', width: 160 },
      { ...to('two.mp4'), label: 'two', width: 64 },
    ],
  });
  const job = await daemon.waitForJob(id);
  await daemon.stop();
  assert.is(job.state, 'finished', JSON.stringify(job));
  const [record, one] = job.output_media_files;
  assert.is(record?.format, 'smil');
  assert.is(record?.warnings, undefined);
  assert.is(
    readFileSync(join(folder, 'smil/film.smil'), 'utf8'),
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<smil>',
      '  <head><meta base="rtmp://server.example/vod?a=1&amp;b=2"/></head>',
      '  <body>',
      '    <switch>',
      `      <video src="mp4:low/one.mp4" system-bitrate="${(one?.total_bitrate_in_kbps ?? 0) * 1000}" width="160" height="90"/>`,
      '      <video src="rtmp://other.example/b.mp4" system-bitrate="500000" width="10" height="20"/>',
      '    </switch>',
      '  </body>',
      '</smil>',
      '',
    ].join('\n'),
  );
});

test.run();
