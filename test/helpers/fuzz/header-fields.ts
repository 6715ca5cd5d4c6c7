/** A field at a distance from a marker: its offset from the start of the marker, its size in bytes, and its byte order. */
type HeaderField = readonly [offset: number, size: 1 | 2 | 4, order: 'BE' | 'LE'];

const boxSize: HeaderField = [-4, 4, 'BE'];
const tableCount: HeaderField = [8, 4, 'BE'];
const chunkSize: HeaderField = [4, 4, 'LE'];
const boxes = [
  'ftyp',
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'stsd',
  'avcC',
  'esds',
  'mdat',
  'moof',
  'traf',
  'udta',
  'edts',
];
const tables = ['stsz', 'stts', 'stco', 'stsc', 'ctts', 'stss', 'elst', 'trun', 'tfhd', 'sidx', 'dref'];

/** Where lengths, counts, sizes and times are in the headers of media files. */
export const headerFields: readonly (readonly [marker: string, fields: readonly HeaderField[]])[] = [
  ...boxes.map((name) => [name, [boxSize]] as const),
  ...tables.map(
    (name) => [name, [boxSize, tableCount, [12, 4, 'BE'], [16, 4, 'BE'], [20, 4, 'BE']]] as const,
  ),
  // Timescale and duration.
  [
    'mvhd',
    [
      [16, 4, 'BE'],
      [20, 4, 'BE'],
    ],
  ],
  [
    'mdhd',
    [
      [16, 4, 'BE'],
      [20, 4, 'BE'],
    ],
  ],
  // Duration, matrix, width and height.
  [
    'tkhd',
    [
      [24, 4, 'BE'],
      [44, 4, 'BE'],
      [80, 4, 'BE'],
      [84, 4, 'BE'],
    ],
  ],
  ...['avc1', 's263'].map((name) => [name, [boxSize, [28, 2, 'BE'], [30, 2, 'BE']]] as const),
  ['mp4a', [boxSize, [20, 2, 'BE'], [22, 2, 'BE'], [28, 2, 'BE']]],
  ...['RIFF', 'LIST', 'avih', 'strh', 'strf', 'fmt ', 'data', 'idx1', 'movi'].map(
    (name) =>
      [name, [chunkSize, [8, 4, 'LE'], [10, 2, 'LE'], [12, 4, 'LE'], [22, 2, 'LE'], [40, 4, 'LE']]] as const,
  ),
  [
    'IHDR',
    [
      [-4, 4, 'BE'],
      [4, 4, 'BE'],
      [8, 4, 'BE'],
      [12, 1, 'BE'],
    ],
  ],
  ['IDAT', [[-4, 4, 'BE']]],
  [
    'GIF8',
    [
      [6, 2, 'LE'],
      [8, 2, 'LE'],
      [10, 1, 'LE'],
    ],
  ],
  [
    'BM',
    [
      [2, 4, 'LE'],
      [10, 4, 'LE'],
      [18, 4, 'LE'],
      [22, 4, 'LE'],
      [28, 2, 'LE'],
    ],
  ],
  [
    'fLaC',
    [
      [4, 4, 'BE'],
      [8, 4, 'BE'],
      [18, 4, 'BE'],
      [22, 4, 'BE'],
    ],
  ],
  [
    'FLV',
    [
      [4, 1, 'BE'],
      [5, 4, 'BE'],
      [9, 4, 'BE'],
      [14, 4, 'BE'],
    ],
  ],
  [
    'OggS',
    [
      [5, 1, 'LE'],
      [6, 4, 'LE'],
      [14, 4, 'LE'],
      [26, 1, 'LE'],
      [27, 1, 'LE'],
    ],
  ],
  [
    'caff',
    [
      [4, 4, 'BE'],
      [12, 4, 'BE'],
      [16, 4, 'BE'],
      [20, 4, 'BE'],
    ],
  ],
  [
    '\x00\x00\x01\xb3',
    [
      [4, 4, 'BE'],
      [7, 4, 'BE'],
    ],
  ],
  [
    '\xff\xc0',
    [
      [2, 2, 'BE'],
      [5, 2, 'BE'],
      [7, 2, 'BE'],
    ],
  ],
  [
    '\x47\x40',
    [
      [1, 2, 'BE'],
      [3, 1, 'BE'],
      [4, 4, 'BE'],
    ],
  ],
  // MXF: the length after the key. ASF: the size after the identifiers of its objects.
  [
    '\x06\x0e\x2b\x34',
    [
      [16, 1, 'BE'],
      [17, 4, 'BE'],
      [20, 4, 'BE'],
    ],
  ],
  ...['\x30\x26\xb2\x75', '\x91\x07\xdc\xb7', '\xa1\xdc\xab\x8c', '\x36\x26\xb2\x75'].map(
    (name) =>
      [
        name,
        [
          [16, 4, 'LE'],
          [20, 4, 'LE'],
          [40, 4, 'LE'],
          [70, 4, 'LE'],
        ],
      ] as const,
  ),
  // Matroska: the segment, its information, tracks, clusters, sizes in pixels, the scale of times, and the duration.
  ...['\x18\x53\x80\x67', '\x15\x49\xa9\x66', '\x16\x54\xae\x6b', '\x1f\x43\xb6\x75'].map(
    (name) =>
      [
        name,
        [
          [4, 1, 'BE'],
          [4, 4, 'BE'],
          [8, 4, 'BE'],
        ],
      ] as const,
  ),
  ...['\xb0', '\xba', '\xae', '\xa3', '\xe7'].map(
    (name) =>
      [
        name,
        [
          [1, 1, 'BE'],
          [2, 2, 'BE'],
        ],
      ] as const,
  ),
  [
    '\x2a\xd7\xb1',
    [
      [3, 1, 'BE'],
      [4, 4, 'BE'],
    ],
  ],
  [
    '\x44\x89',
    [
      [2, 1, 'BE'],
      [3, 4, 'BE'],
    ],
  ],
];
