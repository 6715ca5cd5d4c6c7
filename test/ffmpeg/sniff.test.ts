import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isMp4, matroskaType, otherKind, playlistKind } from '../../daemon/ffmpeg/probe/formats.js';

const playlists = [
  ['HLS or M3U', '#EXTM3U\n#EXTINF:2,\nfile:///etc/passwd\n'],
  ['HLS or M3U', '\u00ef\u00bb\u00bf#EXTM3U\nhttp://host/a.ts\n'],
  ['DASH', '<?xml version="1.0"?>\n<!-- made by hand -->\n<MPD type="static">'],
  ['concat', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
  ['Smooth Streaming', '<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2">'],
  ['PLS', '[playlist]\nFile1=http://host/a.mp3\n'],
  ['ASX', '<ASX version="3.0">'],
  ['SMIL', '<smil><body/></smil>'],
  ['XSPF', '<?xml version="1.0"?><playlist version="1">'],
  ['SDP', 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nm=video 5004 RTP/AVP 96\n'],
] as const;

for (const [kind, text] of playlists) {
  test(`${JSON.stringify(text.slice(0, 24))} begins a playlist of the kind ${kind}`, () => {
    assert.is(playlistKind(Buffer.from(text, 'latin1')), kind);
  });
}

test('media and plain text are not playlists', () => {
  for (const text of ['\0\0\0\x20ftypisom', 'RIFF....AVI ', 'words about <MPD and v=0', '']) {
    assert.is(playlistKind(Buffer.from(text, 'latin1')), null);
  }
});

test('known files that are not media are named', () => {
  assert.ok(isMp4(Buffer.from('\0\0\0\x20ftypisom', 'latin1')));
  assert.is(otherKind(Buffer.from('\n<!doctype HTML>')), 'a web page');
  assert.is(otherKind(Buffer.from('hello\r\n\tworld')), 'plain text');
  assert.is(otherKind(Buffer.from([1, 2, 3, 0, 255])), null);
});

test('Matroska and WebM are distinguished by their header', () => {
  const header = (type: string) =>
    Buffer.concat([
      Buffer.from('1a45dfa39f4286810142f781014282', 'hex'),
      Buffer.from([0x80 + type.length]),
      Buffer.from(type),
    ]);
  assert.is(matroskaType(header('webm')), 'webm');
  assert.is(matroskaType(header('matroska')), 'matroska');
  assert.is(matroskaType(Buffer.from('\0\0\0\x20ftypisom')), null);
  assert.is(matroskaType(Buffer.alloc(0)), null);
});

test.run();
