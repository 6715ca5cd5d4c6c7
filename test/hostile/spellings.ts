/** One spelling of the host of a URL, and the address or name that it means. */
export interface HostSpelling {
  readonly host: string;
  readonly meaning: string;
}

/** IPv4 addresses that are never public, of every kind. */
const privateIpv4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.1.1',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
] as const;

/** IPv6 addresses that are never public. */
const privateIpv6 = [
  '::',
  '::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd12:3456::1',
  'fd00:ec2::254',
  'ff02::1',
  'ff0e::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
] as const;

/** Names that are never resolved, or that every machine resolves to itself. */
const privateNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc\u00adalhost',
  'metadata',
  'metadata.google.internal',
  'Metadata.Google.Internal.',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
] as const;

type Parts = readonly [number, number, number, number];

const partsOf = (address: string): Parts => address.split('.').map(Number) as unknown as Parts;
const numberOf = ([a, b, c, d]: Parts): number => ((a * 256 + b) * 256 + c) * 256 + d;
const hex = (value: number, length = 1): string => value.toString(16).padStart(length, '0');
const groups = (value: number): string => `${hex(value >>> 16)}:${hex(value & 0xffff)}`;

/** Spellings that URL parsers and resolvers accept for an IPv4 address. */
const ipv4Forms: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `${address}.`,
  (address) => String(numberOf(partsOf(address))),
  (address) => `0x${hex(numberOf(partsOf(address)))}`,
  (address) => `0X${hex(numberOf(partsOf(address))).toUpperCase()}`,
  (address) => `0${numberOf(partsOf(address)).toString(8)}`,
  (address) => `0x0000000000${hex(numberOf(partsOf(address)), 8)}`,
  (address) =>
    partsOf(address)
      .map((part) => `0x${hex(part)}`)
      .join('.'),
  (address) =>
    partsOf(address)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  (address) =>
    partsOf(address)
      .map((part) => `000${part.toString(8).padStart(3, '0')}`)
      .join('.'),
  (address) => {
    const [a, b, c, d] = partsOf(address);
    return `${a}.${(b * 256 + c) * 256 + d}`;
  },
  (address) => {
    const [a, b, c, d] = partsOf(address);
    return `0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}`;
  },
  (address) => address.replaceAll('.', '。'),
  (address) => address.replaceAll('.', '．'),
  (address) => address.replaceAll('.', '｡'),
  (address) => inDigits(address, 0xff10),
  (address) => inDigits(address, 0x1d7ce),
  (address) => address.replaceAll(/\d/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'[Number(digit)] ?? ''),
  (address) => address.replace('.', '\u00ad.'),
  (address) => address.replace('.', '\u200b.'),
  (address) => address.replaceAll(/./g, (character) => `%${hex(character.charCodeAt(0), 2)}`),
];

function inDigits(address: string, zero: number): string {
  return address.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** IPv6 addresses that contain an IPv4 address. */
const embeddingForms: readonly ((address: string) => string)[] = [
  (address) => `[::ffff:${address}]`,
  (address) => `[::ffff:${groups(numberOf(partsOf(address)))}]`,
  (address) => `[0:0:0:0:0:FFFF:${groups(numberOf(partsOf(address))).toUpperCase()}]`,
  (address) => `[::${address}]`,
  (address) => `[::ffff:0:${address}]`,
  (address) => `[64:ff9b::${address}]`,
  (address) => `[0064:FF9B:0:0:0:0:${groups(numberOf(partsOf(address)))}]`,
  (address) => `[64:ff9b:1::${address}]`,
  (address) => `[64:ff9b:1:abcd:0:1:${groups(numberOf(partsOf(address)))}]`,
  (address) => `[2002:${groups(numberOf(partsOf(address)))}::1]`,
  (address) => `[2001:0:${groups(numberOf(partsOf(address)))}::1]`,
  (address) => `[2001:0:808:808:0:0:${groups(~numberOf(partsOf(address)))}]`,
  (address) => `[2600:1234::5efe:${address}]`,
  (address) => `[fe80::200:5efe:${address}]`,
];

const ipv6Forms: readonly ((address: string) => string)[] = [
  (address) => `[${address}]`,
  (address) => `[${address.toUpperCase()}]`,
  (address) =>
    `[${address.replace('::', `:${'0:'.repeat(8 - address.split(':').filter(Boolean).length)}`).replace(/^:|:$/g, '')}]`,
  (address) => `[${address}%25lo]`,
  (address) => `[${address}%lo]`,
];

/** Every spelling of every address that is not public, without duplicates. */
export function privateHosts(): readonly HostSpelling[] {
  const spelled = (addresses: readonly string[], forms: readonly ((address: string) => string)[]) =>
    addresses.flatMap((meaning) => forms.map((form) => ({ host: form(meaning), meaning })));
  const all = [
    ...spelled(privateIpv4, ipv4Forms),
    ...spelled(privateIpv4, embeddingForms),
    ...spelled(privateIpv6, ipv6Forms),
    ...privateNames.map((host) => ({ host, meaning: host })),
  ];
  return [...new Map(all.map((spelling) => [spelling.host, spelling])).values()];
}

/**
 * URLs whose host different parsers read differently: one host is public, the other is not. A request must go to no address that is
 * not public, however the URL is read.
 */
export function ambiguousUrls(publicHost: string, privateHost: string): readonly string[] {
  return [
    `http://${publicHost}@${privateHost}/a.mp4`,
    `http://${publicHost}:8080@${privateHost}/a.mp4`,
    `http://${publicHost}%40${privateHost}/a.mp4`,
    `http://${privateHost}#@${publicHost}:8080/film.mp4`,
    `http://${privateHost}?@${publicHost}:8080/film.mp4`,
    `http://${privateHost}\\@${publicHost}:8080/film.mp4`,
    `http://${publicHost}:8080\\@${privateHost}/a.mp4`,
    `http:\\\\${privateHost}\\a.mp4`,
    `http:/${privateHost}/a.mp4`,
    `http:${privateHost}/a.mp4`,
    `http:///${privateHost}/a.mp4`,
    `HTTP://${privateHost}/a.mp4`,
    `hTtPs://${privateHost}/a.mp4`,
    `http://${privateHost}:80:80/a.mp4`,
    `http://${privateHost} /a.mp4`,
    `http://${privateHost}%00.example.com/a.mp4`,
    `http://${privateHost}%2f@${publicHost}:8080/film.mp4`,
    `http://${privateHost}%09/a.mp4`,
    `http://a@b@${privateHost}/a.mp4`,
    `http://a:b@c:d@${privateHost}/a.mp4`,
    `http://[${privateHost}]/a.mp4`,
    `http://[::1]@${privateHost}/a.mp4`,
    `http://${publicHost};${privateHost}/a.mp4`,
    `http://${publicHost},${privateHost}/a.mp4`,
    `http://${privateHost}:0080/a.mp4`,
    `http://${privateHost}:/a.mp4`,
    `http://@${privateHost}/a.mp4`,
    `http://:@${privateHost}/a.mp4`,
    `ftp://${publicHost}@${privateHost}/a.mp4`,
    `ftp://${publicHost}:21@${privateHost}:21/a.mp4`,
    `ftp://a%40${publicHost}:b@${privateHost}/a.mp4`,
    `ftp://${privateHost}\\@${publicHost}/a.mp4`,
    `ftps://${privateHost}/a.mp4`,
    `sftp://${publicHost}@${privateHost}/a.mp4`,
    `sftp://a:b%40${publicHost}@${privateHost}/a.mp4`,
    `s3://${privateHost}/a.mp4`,
    `s3://AKIA:secret@${privateHost}/a.mp4`,
    `s3+${privateHost}://bucket/a.mp4`,
    `s3+us-east-1#@${privateHost}://bucket/a.mp4`,
    `s3://${publicHost}/${privateHost}@${privateHost}/a.mp4`,
    `gcs://${privateHost}/a.mp4`,
    `gcs://GOOG:secret@bucket.${privateHost}/a.mp4`,
    `cf://u:k@${privateHost}/a.mp4`,
    `fasp://u:p@${privateHost}/a.mp4`,
    `file://${privateHost}/etc/passwd`,
    `upload://${privateHost}/a.mp4`,
    `hosted://${privateHost}/a.mp4`,
    `gopher://${privateHost}/a.mp4`,
    `dict://${privateHost}:22/a`,
    `ldap://${privateHost}/a`,
    `rtmp://${privateHost}/a`,
    `rtsp://${privateHost}/a`,
    `tcp://${privateHost}:80`,
    `udp://${privateHost}:80`,
    `concat:http://${privateHost}/a|http://${privateHost}/b`,
    `subfile,,start,0,end,9,,:http://${privateHost}/a`,
    `crypto:http://${privateHost}/a`,
    `http://${privateHost}/a.mp4\r\nHost: ${publicHost}`,
    `jar:http://${privateHost}/a!/b`,
    `//${privateHost}/a.mp4`,
    `\\\\${privateHost}\\a.mp4`,
  ];
}
