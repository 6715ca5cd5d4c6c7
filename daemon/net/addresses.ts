import { isIP } from 'node:net';

/**
 * The kind of an address: connections to `metadata` are never allowed, connections to `private` only by configuration.
 */
export type AddressKind = 'public' | 'private' | 'metadata';

/** Addresses at which cloud providers give credentials to any process of the machine. */
const metadataAddresses = [
  '169.254.169.254', // AWS, GCE, Azure, OpenStack and most others
  '169.254.170.2', // AWS, containers
  '169.254.170.23', // AWS, pods
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure, the host of the machine; in a public range
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254', // GCE
] as const;

/** Non-public IPv4 ranges of the IANA special-purpose address registry: [first address, prefix length]. */
const privateIpv4 = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared by the customers of a provider
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4, withdrawn
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/**
 * Non-public ranges within 2000::/3. Outside of 2000::/3, only addresses that embed a public IPv4 address are public.
 */
const privateIpv6 = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
] as const;

const globalUnicast = ['2000::', 3] as const;

/** IPv6 prefixes that embed an IPv4 address: [prefix, prefix length, bit offset of the IPv4 address]. */
const embeddedIpv4Prefixes = [
  ['::ffff:0:0', 96, 96], // mapped
  ['::ffff:0:0:0', 96, 96], // translated
  ['64:ff9b::', 96, 96], // NAT64
  ['2002::', 16, 16], // 6to4
] as const;

/** Same, but never public. The embedded address is still checked, because it may be a metadata address. */
const privateEmbeddedIpv4Prefixes = [
  ['::', 96, 96], // compatible, withdrawn
  ['64:ff9b:1::', 48, 96], // NAT64, local use
  ['2001::', 32, 32], // Teredo: the server
] as const;

const metadata: ReadonlySet<bigint> = new Set(metadataAddresses.map((text) => bitsOf(text).value));

/**
 * Classifies an IPv4 or IPv6 literal in any spelling: `127.1`, `0x7f000001`, `017700000001`, `::ffff:127.0.0.1`, NAT64,
 * 6to4, Teredo. Returns null if the text is not an address, for instance a host name.
 */
export function addressKind(text: string): AddressKind | null {
  const literal = normalizedAddress(text);
  if (literal === null) return null;
  const { value, isIpv6 } = bitsOf(literal);
  return isIpv6 ? ipv6Kind(value) : ipv4Kind(value);
}

/** An address in its usual spelling, without brackets and zone; null if the text is not an address. */
export function normalizedAddress(text: string): string | null {
  const unwrapped = text.replace(/^\[|\]$/g, '').replace(/%.*$/s, '');
  if (isIP(unwrapped) === 6) return unwrapped.toLowerCase();
  try {
    // The URL parser accepts every spelling of an IPv4 address that the system resolver accepts.
    const { hostname } = new URL(`http://${unwrapped}/`);
    return isIP(hostname) === 4 ? hostname : null;
  } catch {
    return null;
  }
}

function ipv4Kind(value: bigint): AddressKind {
  if (metadata.has(value)) return 'metadata';
  return privateIpv4.some(([first, length]) => isWithin(value, 32, first, length)) ? 'private' : 'public';
}

function ipv6Kind(value: bigint): AddressKind {
  if (metadata.has(value)) return 'metadata';
  const embeddedPrefix = embeddedIpv4Prefixes.find(([first, length]) => isWithin(value, 128, first, length));
  if (embeddedPrefix !== undefined) return ipv4Kind(ipv4At(value, embeddedPrefix[2]));
  const embeddedKind = privateEmbeddedIpv4Prefixes
    .filter(([first, length]) => isWithin(value, 128, first, length))
    .map(([, , at]) => ipv4At(value, at));
  // A Teredo address ends with the client's address, with all bits inverted.
  if (isWithin(value, 128, '2001::', 32)) embeddedKind.push(ipv4At(value, 96) ^ 0xffffffffn);
  // ISATAP embeds an IPv4 address in the lower half of any prefix.
  if (((value >> 32n) & 0xfdffffffn) === 0x00005efen) embeddedKind.push(ipv4At(value, 96));
  if (embeddedKind.some((ipv4) => metadata.has(ipv4))) return 'metadata';
  const isGlobal = isWithin(value, 128, ...globalUnicast);
  const isException = privateIpv6.some(([first, length]) => isWithin(value, 128, first, length));
  return !isGlobal || isException || embeddedKind.some((ipv4) => ipv4Kind(ipv4) !== 'public')
    ? 'private'
    : 'public';
}

function ipv4At(value: bigint, bit: number): bigint {
  return (value >> BigInt(128 - bit - 32)) & 0xffffffffn;
}

function isWithin(value: bigint, width: 32 | 128, first: string, prefixLength: number): boolean {
  const rest = BigInt(width - prefixLength);
  return value >> rest === bitsOf(first).value >> rest;
}

/** The bits of a valid literal as one number. */
function bitsOf(literal: string): { readonly value: bigint; readonly isIpv6: boolean } {
  if (isIP(literal) === 4) return { value: joined(literal.split('.'), 8n, ''), isIpv6: false };
  // The URL parser normalizes an IPv6 address to hexadecimal groups, with "::" for the longest run of zeros.
  const [head = '', tail] = new URL(`http://[${literal}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return { value: joined([...before, ...zeros, ...after], 16n, '0x'), isIpv6: true };
}

function joined(groups: readonly string[], width: bigint, prefix: string): bigint {
  return groups.reduce((value, group) => (value << width) | BigInt(prefix + group), 0n);
}
