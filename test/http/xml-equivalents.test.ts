import { test } from 'uvu';
import { areEquivalent, input, request } from './xml-request.js';

const inXml = '<input>http://example.com/in.mp4?a=1&amp;b=2</input>';
const output = (...elements: readonly string[]): string =>
  request(inXml, `<outputs type="array"><output>${elements.join('')}</output></outputs>`);

const equivalents: readonly (readonly [string, string, unknown])[] = [
  ['only an input', request(inXml), { input }],
  ['an empty request', request(), {}],
  ['an empty root', '<api-request/>', {}],
  ['a root with text', '<api-request>no</api-request>', 'no'],
  ['a root that is a list', '<api-request type="array"><input>a</input></api-request>', ['a']],
  ['a root that is nil', '<api-request nil="true"/>', null],
  [
    'the fields of a job',
    request(
      inXml,
      '<api_key>secret</api_key><test>1</test><region>europe</region><grouping>a &amp; b</grouping>',
      '<download-connections type="integer">7</download-connections><mock type="boolean">true</mock>',
      '<pass_through>  as\n it is </pass_through>',
    ),
    {
      input,
      api_key: 'secret',
      test: 1,
      region: 'europe',
      grouping: 'a & b',
      download_connections: 7,
      mock: true,
      pass_through: '  as\n it is ',
    },
  ],
  [
    'two outputs',
    request(
      inXml,
      '<outputs type="array"><output><label>a</label><speed type="integer">1</speed></output>',
      '<output><label>b</label><video-codec>vp8</video-codec></output></outputs>',
    ),
    {
      input,
      outputs: [
        { label: 'a', speed: 1 },
        { label: 'b', video_codec: 'vp8' },
      ],
    },
  ],
  [
    'two outputs without a type',
    request(inXml, '<outputs><output><label>a</label></output><output><label>b</label></output></outputs>'),
    { input, outputs: [{ label: 'a' }, { label: 'b' }] },
  ],
  [
    'two outputs side by side',
    request(inXml, '<output><label>a</label></output><quality/><output><label>b</label></output>'),
    { input, output: [{ label: 'a' }, { label: 'b' }], quality: '' },
  ],
  [
    'outputs with another element name in a list',
    request(
      inXml,
      '<outputs type="array"><item><label>a</label></item><value><label>b</label></value></outputs>',
    ),
    { input, outputs: [{ label: 'a' }, { label: 'b' }] },
  ],
  ['one output', request(inXml, '<output><width>640</width></output>'), { input, output: { width: 640 } }],
  [
    'one output under outputs',
    request(inXml, '<outputs><width>640</width></outputs>'),
    { input, outputs: { width: 640 } },
  ],
  [
    'one output in a list of one',
    request(inXml, '<outputs><output><width>640</width></output></outputs>'),
    { input, outputs: [{ width: 640 }] },
  ],
  [
    'output together with outputs',
    request(inXml, '<output/><outputs type="array"/>'),
    { input, output: {}, outputs: [] },
  ],
  ['no outputs', request(inXml, '<outputs type="array"/>'), { input, outputs: [] }],
  ['no outputs without a type', request(inXml, '<outputs>\n</outputs>'), { input, outputs: [] }],
  ['an empty output', request(inXml, '<output/>'), { input, output: {} }],
  [
    'empty outputs in a list',
    request(inXml, '<outputs type="array"><output/><output> </output></outputs>'),
    { input, outputs: [{}, {}] },
  ],
  ['outputs that are text', request(inXml, '<outputs>web</outputs>'), { input, outputs: 'web' }],
  [
    'a list with text in it',
    request(inXml, '<outputs type="array">web</outputs>'),
    { input, outputs: ['web'] },
  ],
  ['outputs that are nil', request(inXml, '<outputs nil="true"/>'), { input, outputs: null }],
  [
    'an output that is nil',
    request(inXml, '<outputs type="array"><output nil="1"/></outputs>'),
    { input, outputs: [null] },
  ],
  [
    'numbers as text',
    output('<width>640</width><height> 480 </height><frame_rate type="float">\n29.97\n</frame_rate>'),
    { input, outputs: [{ width: '640', height: '480', frame_rate: 29.97 }] },
  ],
  [
    'booleans',
    output('<upscale type="boolean">true</upscale><skip-audio>1</skip-audio><public>0</public>'),
    { input, outputs: [{ upscale: true, skip_audio: 1, public: 0 }] },
  ],
  [
    'wrong values',
    output('<width>wide</width><speed type="integer">9</speed><upscale>yes</upscale><size/>'),
    { input, outputs: [{ width: 'wide', speed: 9, upscale: 'yes', size: '' }] },
  ],
  [
    'blanks around a text',
    output('<label> a\t</label><url>\n  ftp://u:p@h/a.mp4\n</url>'),
    { input, outputs: [{ label: ' a\t', url: 'ftp://u:p@h/a.mp4' }] },
  ],
  ['an empty text', output('<label></label>'), { input, outputs: [{ label: '' }] }],
  [
    'nil for a number',
    output('<width type="integer" nil="true"/><label nil="true">a</label>'),
    { input, outputs: [{ width: null, label: null }] },
  ],
  [
    'CDATA, entities and comments',
    output('<label>a<![CDATA[<b> & ]]>&lt;&#x65E5;&#128512;<!-- no --><?no?>c</label>'),
    { input, outputs: [{ label: 'a<b> & <日😀c' }] },
  ],
  [
    'other spellings',
    output('<one-pass>1</one-pass><onepass>true</onepass><decoder_bitrate_cap>9</decoder_bitrate_cap>'),
    { input, outputs: [{ one_pass: 1, onepass: true, decoder_bitrate_cap: 9 }] },
  ],
  [
    'elements for a number',
    output('<width><pixels>3</pixels></width>'),
    { input, outputs: [{ width: { pixels: 3 } }] },
  ],
  [
    'a list for a number',
    output('<width type="array"><width>3</width></width>'),
    { input, outputs: [{ width: [3] }] },
  ],
  [
    'one watermark',
    output('<watermark><url>http://a/b.png</url><x>-0</x><y>25%</y></watermark>'),
    { input, outputs: [{ watermark: { url: 'http://a/b.png', x: '-0', y: '25%' } }] },
  ],
  [
    'watermarks',
    output(
      '<watermarks type="array"><watermark><url>http://a/b.png</url></watermark><watermark><url>http://a/c.png</url><width>10</width></watermark></watermarks>',
    ),
    { input, outputs: [{ watermarks: [{ url: 'http://a/b.png' }, { url: 'http://a/c.png', width: 10 }] }] },
  ],
  [
    'watermarks side by side',
    output(
      '<watermark><url>http://a/b.png</url></watermark><watermark><url>http://a/c.png</url></watermark>',
    ),
    { input, outputs: [{ watermark: [{ url: 'http://a/b.png' }, { url: 'http://a/c.png' }] }] },
  ],
  [
    'a list under its singular',
    output('<watermark type="array"><watermark><url>http://a/b.png</url></watermark></watermark>'),
    { input, outputs: [{ watermark: [{ url: 'http://a/b.png' }] }] },
  ],
  ['no watermarks', output('<watermarks/>'), { input, outputs: [{ watermarks: [] }] }],
  [
    'a watermark without a URL',
    output('<watermark><x>1</x></watermark>'),
    { input, outputs: [{ watermark: { x: 1 } }] },
  ],
  [
    'access controls',
    output(
      '<access-controls type="array"><access-control><grantee>a@b.example</grantee>',
      '<permissions type="array"><permission>READ</permission><permission>write</permission></permissions>',
      '</access-control><access-control><grantee>c</grantee><permission>FULL_CONTROL</permission></access-control></access-controls>',
    ),
    {
      input,
      outputs: [
        {
          access_controls: [
            { grantee: 'a@b.example', permissions: ['READ', 'write'] },
            { grantee: 'c', permission: 'FULL_CONTROL' },
          ],
        },
      ],
    },
  ],
  [
    'one access control with one permission in a list',
    output(
      '<access_control><grantee>a</grantee><permissions><permission>READ</permission></permissions></access_control>',
    ),
    { input, outputs: [{ access_control: { grantee: 'a', permissions: ['READ'] } }] },
  ],
  [
    'permissions that are one word',
    output(
      '<access_controls><access_control><grantee>a</grantee><permissions>READ</permissions></access_control></access_controls>',
    ),
    { input, outputs: [{ access_controls: [{ grantee: 'a', permissions: 'READ' }] }] },
  ],
  [
    'thumbnails',
    output(
      '<thumbnails><number>3</number><public>1</public><access_controls><access_control><grantee>a</grantee><permission>READ</permission></access_control></access_controls></thumbnails>',
    ),
    {
      input,
      outputs: [
        { thumbnails: { number: 3, public: 1, access_controls: [{ grantee: 'a', permission: 'READ' }] } },
      ],
    },
  ],
  [
    'thumbnails in a list',
    output('<thumbnails type="array"><thumbnail><number>3</number></thumbnail></thumbnails>'),
    { input, outputs: [{ thumbnails: [{ number: 3 }] }] },
  ],
  [
    'thumbnails under their singular',
    output('<thumbnails><thumbnail><number>3</number></thumbnail></thumbnails>'),
    { input, outputs: [{ thumbnails: [{ number: 3 }] }] },
  ],
  ['thumbnails without settings', output('<thumbnails/>'), { input, outputs: [{ thumbnails: {} }] }],
  [
    'a notification',
    request(inXml, '<notifications>http://example.com/done</notifications>'),
    { input, notifications: 'http://example.com/done' },
  ],
  [
    'notifications',
    request(
      inXml,
      '<notifications type="array"><notification>http://a.example/</notification><notification><url>\nhttp://b.example/\n</url>',
      '<format>xml</format><headers><X-Own_Name> a b </X-Own_Name><Authorization>Bearer x</Authorization></headers></notification></notifications>',
    ),
    {
      input,
      notifications: [
        'http://a.example/',
        {
          url: 'http://b.example/',
          format: 'xml',
          headers: { 'X-Own_Name': 'a b', Authorization: 'Bearer x' },
        },
      ],
    },
  ],
  [
    'a notification of an output',
    output(
      '<notifications><notification><url>http://b.example/</url><headers/></notification></notifications>',
    ),
    { input, outputs: [{ notifications: [{ url: 'http://b.example/', headers: {} }] }] },
  ],
  [
    'headers that are text',
    request(inXml, '<notifications><url>http://b.example/</url><headers>a</headers></notifications>'),
    { input, notifications: { url: 'http://b.example/', headers: 'a' } },
  ],
  [
    'unknown fields',
    request(
      inXml,
      '<colour>red</colour><x-y><a>1</a></x-y><list type="array"><a/></list><none nil="true"/>',
      '<output><__proto__>a</__proto__><constructor/><label>a</label></output>',
    ),
    JSON.parse(
      `{"input": "${input}", "colour": "red", "x-y": {"a": 1}, "list": [""], "none": null, "output": {"__proto__": "a", "constructor": "", "label": "a"}}`,
    ),
  ],
  [
    'namespaces',
    `<z:api-request xmlns:z="urn:z" xmlns="urn:a" xmlns:xsi="urn:xsi"><z:input xsi:type="string">${input.replace('&', '&amp;')}</z:input><test xsi:nil="true"/></z:api-request>`,
    { input, test: null },
  ],
];

for (const [name, xml, json] of equivalents) {
  test(`XML and JSON are equivalent: ${name}`, () => areEquivalent(xml, json));
}

test.run();
