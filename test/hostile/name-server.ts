import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** Answers a query for a name: its addresses of both families. `count` is the number of the query for this name and type, from 1. */
export type NameAnswer = (name: string, count: number) => readonly string[];

const typeA = 1;
const typeAaaa = 28;

/** Starts a server of names at 127.0.0.1, port 53. Records expire at once, so that no answer is used twice. */
export async function startNameServer(answer: NameAnswer): Promise<{ close(): Promise<void> }> {
  const socket = createSocket('udp4');
  const counts = new Map<string, number>();
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const key = `${name} ${type}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const family = type === typeA ? 4 : type === typeAaaa ? 6 : 0;
    const found = answer(name, counts.get(key) ?? 0).filter((one) => isIP(one) === family);
    const records = found.map((one) => recordOf(type, family === 4 ? bytesOf4(one) : bytesOf6(one)));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(53, '127.0.0.1', resolve));
  return { close: () => new Promise((resolve) => socket.close(() => resolve())) };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(type: number, data: Buffer): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOf4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function bytesOf6(address: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail].map((text) => text.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0');
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])];
  return Buffer.concat(groups.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')));
}
