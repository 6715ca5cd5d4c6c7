/** What hostile files refer to: files that nothing may read, and a listener that nothing may connect to. */
export interface ReferenceTargets {
  /** Path of a file of each kind. */
  readonly film: string;
  readonly stream: string;
  readonly image: string;
  readonly text: string;
  /** Base URL of the listener. */
  readonly url: string;
}

/** A hostile file: its name, and the setting that it is given to. */
export interface HostileFile {
  readonly name: string;
  readonly use: 'input' | 'watermark' | 'captions';
  readonly bytes: string | Buffer;
}

type Text = (targets: ReferenceTargets) => string;

const hls = (...lines: readonly string[]): string =>
  ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-TARGETDURATION:2', ...lines, '#EXT-X-ENDLIST', ''].join('\n');

const mpd = (base: string, head = ''): string => `<?xml version="1.0"?>${head}
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="PT2S">
<Period><AdaptationSet mimeType="video/mp4"><BaseURL>${base}</BaseURL><Representation id="1" bandwidth="1000" width="64" height="48" codecs="avc1.64001f">
<SegmentBase indexRange="0-100"/></Representation></AdaptationSet></Period></MPD>`;

const cpl = (uri: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:00000000-0000-0000-0000-000000000001</Id>
<ContentTitle>${uri}</ContentTitle><EditRate>25 1</EditRate><SegmentList/></CompositionPlaylist>`;

const assetMap = (uri: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<AssetMap xmlns="http://www.smpte-ra.org/schemas/429-9/2007/AM"><AssetList><Asset><Id>urn:uuid:00000000-0000-0000-0000-000000000001</Id>
<ChunkList><Chunk><Path>${uri}</Path></Chunk></ChunkList></Asset></AssetList></AssetMap>`;

const ass = (style: string, text: string, sections = ''): string => `[Script Info]
ScriptType: v4.00+
Script Updated By: ${style}
Video File: ${style}
Audio File: ${style}

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Bold
Style: Default,${style},20,&H00FFFFFF,0
${sections}
[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,0:00:00.00,0:00:01.00,Default,${text}
`;

/** Playlists, manifests and scripts whose readers open other files. The name of each ends in that of a film, or in its own. */
const playlists: Readonly<Record<string, Text>> = {
  'hls-file.mp4': ({ stream }) => hls('#EXTINF:2,', `file://${stream}`),
  'hls-path.m3u8': ({ stream }) => hls('#EXTINF:2,', stream),
  'hls-http.mp4': ({ url }) => hls('#EXTINF:2,', `${url}/segment.ts`),
  'hls-master.m3u8': ({ url }) => hls('#EXT-X-STREAM-INF:BANDWIDTH=1000', `${url}/media.m3u8`),
  'hls-key.m3u8': ({ text, stream }) => hls(`#EXT-X-KEY:METHOD=AES-128,URI="${text}"`, '#EXTINF:2,', stream),
  'hls-map.m3u8': ({ film, stream }) => hls(`#EXT-X-MAP:URI="${film}"`, '#EXTINF:2,', stream),
  'hls-media.m3u8': ({ stream }) =>
    hls(`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="${stream}"`, '#EXTINF:2,', stream),
  'hls-concat.mp4': ({ text, url }) => hls('#EXTINF:2,', `concat:${url}/head|file://${text}`),
  'hls-subfile.mp4': ({ stream }) => hls('#EXTINF:2,', `subfile,,start,0,end,100,,:${stream}`),
  'hls-crypto.mp4': ({ text }) => hls('#EXTINF:2,', `crypto+file://${text}`),
  'hls-data.mp4': ({ stream }) =>
    hls(
      '#EXTINF:2,',
      `data:application/x-mpegurl;base64,${Buffer.from(hls('#EXTINF:2,', stream)).toString('base64')}`,
    ),
  'hls-cache.mp4': ({ url }) => hls('#EXTINF:2,', `cache:${url}/a.ts`),
  'hls-async.mp4': ({ stream }) => hls('#EXTINF:2,', `async:file:${stream}`),
  'hls-tcp.mp4': ({ url }) => hls('#EXTINF:2,', url.replace('http', 'tcp')),
  'hls-gopher.mp4': ({ url }) => hls('#EXTINF:2,', `${url.replace('http', 'gopher')}/a`),
  'hls-pipe.mp4': () => hls('#EXTINF:2,', 'pipe:0'),
  'hls-space.mp4': ({ stream }) => `\n\n  ${hls('#EXTINF:2,', `file://${stream}`)}`,
  'hls-bom.mp4': ({ stream }) => `\ufeff${hls('#EXTINF:2,', `file://${stream}`)}`,
  'hls-late.mp4': ({ stream }) => `${'\0'.repeat(64)}${hls('#EXTINF:2,', `file://${stream}`)}`,
  'hls-id3.mp3': ({ stream }) => `ID3\u0003\0\0\0\0\0\n${'\0'.repeat(10)}${hls('#EXTINF:2,', stream)}`,
  'dash-file.mpd': ({ film }) => mpd(`file://${film}`),
  'dash-http.mp4': ({ url }) => mpd(`${url}/a.mp4`),
  'dash-entity.mp4': ({ text }) =>
    mpd('&secret;', `<!DOCTYPE MPD [<!ENTITY secret SYSTEM "file://${text}">]>`),
  'dash-dtd.mpd': ({ url, film }) => mpd(film, `<!DOCTYPE MPD SYSTEM "${url}/a.dtd">`),
  'dash-xlink.mpd': ({ url, film }) =>
    mpd(film).replace(
      '<Period>',
      `<Period xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="${url}/p">`,
    ),
  'concat.mp4': ({ film }) => `ffconcat version 1.0\nfile '${film}'\n`,
  'concat.ffconcat': ({ url }) => `ffconcat version 1.0\nfile ${url}/a.mp4\n`,
  'concat-stream.txt': ({ film }) => `ffconcat version 1.0\noption safe 0\nfile 'file:${film}'\nduration 2\n`,
  'imf-cpl.xml': ({ film }) => cpl(film),
  'imf-cpl.mp4': ({ url }) => cpl(`${url}/a.mxf`),
  'ASSETMAP.xml': ({ film }) => assetMap(film),
  'film.sdp': ({ url }) =>
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\na=control:${url.replace('http', 'rtsp')}/a\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
  'film-sdp.mp4': () =>
    'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5006 RTP/AVP 0\n',
  'film.idx': () =>
    '# VobSub index file, v7 (do not modify this line!)\nsize: 64x48\nid: en, index: 0\ntimestamp: 00:00:00:000, filepos: 0\n',
  'film.rtsp': ({ url }) => `RTSPtext\n${url.replace('http', 'rtsp')}/a`,
  'film.ram': ({ url }) => `${url}/a.rm\n--stop--\n`,
  'film.asx': ({ url }) => `<asx version="3.0"><entry><ref href="${url}/a.wmv"/></entry></asx>`,
  'film-ref.wmv': ({ url }) => `[Reference]\nRef1=${url}/a.asf\nRef2=${url}/a.asf\n`,
  'film.pls': ({ film }) => `[playlist]\nFile1=${film}\nNumberOfEntries=1\n`,
  'film.avs': ({ film }) => `AviSource("${film}")\n`,
  'film.vpy': ({ film }) => `import vapoursynth\nopen("${film}").read()\n`,
  'film.lavfi': ({ film }) => `movie=${film}[out0]\n`,
  'film.ffmetadata': ({ film }) => `;FFMETADATA1\ntitle=${film}\n`,
  'film.smil': ({ film }) => `<smil><body><video src="file://${film}"/></body></smil>`,
  'film.qtl': ({ film }) =>
    `<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="file://${film}"/>`,
  'frame%03d.png': () => 'image sequence',
  'image.svg': ({ image }) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><image href="file://${image}"/></svg>`,
};

const watermarks: Readonly<Record<string, Text>> = {
  'mark-playlist.png': ({ stream }) => hls('#EXTINF:2,', `file://${stream}`),
  'mark-http.gif': ({ url }) => hls('#EXTINF:2,', `${url}/a.ts`),
  'mark-concat.png': ({ image }) => `ffconcat version 1.0\nfile '${image}'\n`,
  'mark.svg': ({ image, url }) =>
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="48"><image xlink:href="file://${image}"/><image href="${url}/a.png"/></svg>`,
  'mark-entity.png': ({ text }) =>
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "file://${text}">]><svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><text>&e;</text></svg>`,
  'mark%03d.png': () => 'image sequence',
  'mark-dash.png': ({ url }) => mpd(`${url}/a.mp4`),
  'mark.sdp': () => 'v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\n',
};

const captions: Readonly<Record<string, Text>> = {
  'font-path.ass': ({ image }) => ass(image, `{\\fn${image}}shown`),
  'font-attached.ass': ({ image }) => ass('Arial', 'shown', `[Fonts]\nfontname: ../../${image}\n!!!!\n`),
  'drawing.ass': ({ image }) => ass('Arial', `{\\1img(${image})}{\\p1}m 0 0 l 1 1{\\p0}shown`),
  'graphics.ass': ({ image }) => ass('Arial', 'shown', `[Graphics]\nfilename: ${image}\n`),
  'entity.ttml': ({ text }) =>
    `<?xml version="1.0"?><!DOCTYPE tt [<!ENTITY e SYSTEM "file://${text}">]><tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0s" end="1s">&e;</p></div></body></tt>`,
  'image.ttml': ({ image }) =>
    `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:smpte="http://www.smpte-ra.org/schemas/2052-1/2010/smpte-tt"><body><div smpte:backgroundImage="file://${image}"><p begin="0s" end="1s">shown</p></div></body></tt>`,
  'dtd.ttml': ({ url }) =>
    `<!DOCTYPE tt SYSTEM "${url}/a.dtd"><tt xmlns="http://www.w3.org/ns/ttml"><body/></tt>`,
  'style.vtt': ({ url }) => `WEBVTT\n\nSTYLE\n@import "${url}/a.css";\n\n00:00.000 --> 00:01.000\nshown\n`,
  'sami.smi': ({ url, image }) =>
    `<SAMI><HEAD><STYLE>@import url(${url}/a.css);</STYLE></HEAD><BODY><SYNC Start=0><P Class=EN><img src="file://${image}">shown</P></BODY></SAMI>`,
  'markup.srt': ({ image }) =>
    `1\n00:00:00,000 --> 00:00:01,000\n<font face="${image}">{\\fn${image}}shown</font>\n`,
  'playlist.srt': ({ stream }) => hls('#EXTINF:2,', `file://${stream}`),
  'concat.srt': ({ text }) => `ffconcat version 1.0\nfile '${text}'\n`,
  'realtext.rt': ({ url }) => `<window duration="2"><time begin="0"/><a href="${url}">shown</a></window>`,
};

/** Every hostile text file. */
export function textFiles(targets: ReferenceTargets): readonly HostileFile[] {
  const rows = (use: HostileFile['use'], table: Readonly<Record<string, Text>>) =>
    Object.entries(table).map(([name, text]) => ({ name, use, bytes: text(targets) }));
  return [...rows('input', playlists), ...rows('watermark', watermarks), ...rows('captions', captions)];
}
