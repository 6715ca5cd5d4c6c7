import type { Choices } from './choices.js';

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
const headerFields: readonly (readonly [marker: string, fields: readonly HeaderField[]])[] = [
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

const extremes = [
  0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
] as const;
const maxHeaderBytes = 400;
/** No mutated file is longer than this. */
const maxBytes = 2_000_000;

type Mutation = (bytes: Buffer, choices: Choices, other: Buffer) => Buffer;

/** The kinds of changes, by name. */
const mutations = {
  flip: (bytes, choices) => {
    for (let count = choices.integer(1, 40); count > 0; count -= 1) {
      const at = choices.integer(0, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << choices.integer(0, 7));
    }
    return bytes;
  },
  truncate: (bytes, choices) => bytes.subarray(0, choices.integer(1, bytes.length)),
  behead: (bytes, choices) => bytes.subarray(choices.integer(1, Math.min(bytes.length - 1, 3000))),
  duplicate: (bytes, choices) => {
    const { before, part, after } = cut(bytes, choices);
    return Buffer.concat([before, ...Array.from({ length: choices.integer(2, 5) }, () => part), after]);
  },
  remove: (bytes, choices) => {
    const { before, after } = cut(bytes, choices);
    return Buffer.concat([before, after]);
  },
  swap: (bytes, choices) => {
    const { before, part, after } = cut(bytes, choices);
    return Buffer.concat([after, part, before]);
  },
  zero: (bytes, choices) => {
    const { before, part, after } = cut(bytes, choices);
    return Buffer.concat([before, Buffer.alloc(part.length, choices.pick([0, 0xff])), after]);
  },
  concatenate: (bytes, _, other) => Buffer.concat([bytes, other]),
  insert: (bytes, choices, other) => {
    const { before, part, after } = cut(bytes, choices);
    return Buffer.concat([before, part, other.subarray(0, choices.integer(1, other.length)), after]);
  },
  header: (bytes, choices) => setHeaderField(bytes, choices),
  field: (bytes, choices) => {
    const size = choices.pick([1, 2, 4] as const);
    const last = Math.min(maxHeaderBytes, bytes.length) - size;
    return last < 0
      ? bytes
      : write(bytes, choices.integer(0, last), size, choices.pick(['BE', 'LE'] as const), choices);
  },
} as const satisfies Record<string, Mutation>;

/** The name of a kind of change. */
type MutationName = keyof typeof mutations;

/** Changes to headers find more than others. */
const names: readonly MutationName[] = [
  ...(Object.keys(mutations) as MutationName[]),
  'header',
  'header',
  'header',
  'header',
  'field',
  'flip',
];

/** A file with one to three changes, and their names. */
export function mutateMedia(
  given: Buffer,
  choices: Choices,
  other: Buffer,
): { readonly bytes: Buffer; readonly changes: readonly string[] } {
  const changes = Array.from({ length: choices.integer(1, 3) }, () => choices.pick(names));
  let bytes = Buffer.from(given);
  for (const name of changes) {
    if (bytes.length < 8) break;
    bytes = Buffer.from(mutations[name](bytes, choices, other)).subarray(0, maxBytes);
  }
  return { bytes, changes };
}

function cut(
  bytes: Buffer,
  choices: Choices,
): { readonly before: Buffer; readonly part: Buffer; readonly after: Buffer } {
  const start = choices.integer(0, bytes.length - 1);
  const end = Math.min(bytes.length, start + choices.pick([1, 4, 16, 188, 512, 4096]));
  return { before: bytes.subarray(0, start), part: bytes.subarray(start, end), after: bytes.subarray(end) };
}

function setHeaderField(bytes: Buffer, choices: Choices): Buffer {
  const text = bytes.toString('latin1', 0, Math.min(bytes.length, 100_000));
  const present = headerFields.filter(([marker]) => text.includes(marker));
  if (present.length === 0) return mutations.field(bytes, choices);
  const [marker, fields] = choices.pick(present);
  const positions: number[] = [];
  for (let at = text.indexOf(marker); at !== -1 && positions.length < 50; at = text.indexOf(marker, at + 1))
    positions.push(at);
  const [offset, size, order] = choices.pick(fields);
  const at = choices.pick(positions) + offset;
  return at < 0 || at + size > bytes.length ? bytes : write(bytes, at, size, order, choices);
}

function write(bytes: Buffer, at: number, size: 1 | 2 | 4, order: 'BE' | 'LE', choices: Choices): Buffer {
  const present = order === 'BE' ? bytes.readUIntBE(at, size) : bytes.readUIntLE(at, size);
  const value =
    choices.pick([...extremes, present + 1, Math.max(0, present - 1), present * 2]) % 2 ** (8 * size);
  if (order === 'BE') bytes.writeUIntBE(value, at, size);
  else bytes.writeUIntLE(value, at, size);
  return bytes;
}
