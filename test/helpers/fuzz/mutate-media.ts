import type { Choices } from './choices.js';
import { headerFields } from './header-fields.js';

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
