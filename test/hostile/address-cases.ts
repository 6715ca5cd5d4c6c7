import { randomNumbers } from '../helpers/random.js';
import { ambiguousUrls, type HostSpelling, privateHosts } from './spellings.js';

/** The public address of the servers of the test. */
export const publicHost = '8.8.8.8';

/** A request with an address that may not be connected to. */
export interface AddressCase {
  readonly group: 'control' | 'input' | 'redirect' | 'ambiguous' | 'name' | 'field' | 'ftp' | 'storage';
  readonly url: string;
  readonly request: {
    readonly input: string;
    readonly notifications?: readonly string[];
    readonly outputs?: readonly object[];
  };
}

/** What the cases depend on. */
interface CaseOptions {
  readonly seed: number;
  readonly isLong: boolean;
  /** URL of a film below a root of the daemon. */
  readonly localFilm: string;
  /** Ports of FTP servers at the public address; the first one is a usual one. */
  readonly ftpPorts: readonly number[];
}

/** The cases of a run, the same for the same seed. */
export function addressCases({ seed, isLong, localFilm, ftpPorts }: CaseOptions): readonly AddressCase[] {
  const random = randomNumbers(seed);
  const hosts = privateHosts();
  // The short form has every spelling of the loopback and of the metadata service, and some of all others.
  const isEssential = ({ meaning }: HostSpelling) =>
    /^(127\.0\.0\.1|169\.254\.169\.254|[^.]*)$/.test(meaning);
  const some = (share: number) => hosts.filter(() => isLong || random() < share);
  const hostsOfInputs = hosts.filter((spelling) => isEssential(spelling) || isLong || random() < 0.1);
  const input = (url: string, notifications: readonly string[] = []) => ({ input: url, notifications });
  const schemes = ['https', 'ftp', 'ftps', 'sftp'] as const;
  const statuses = [301, 302, 303, 307, 308] as const;
  const redirect = (to: string, hops: number): string => {
    const status = statuses[Math.floor(random() * statuses.length)];
    const target = hops > 1 ? redirect(to, hops - 1) : to;
    return `http://${publicHost}:8080/hop?status=${status}&to=${encodeURIComponent(target)}`;
  };
  const cases: AddressCase[] = [
    { group: 'control', url: 'public', request: input(`http://${publicHost}:8080/film.mp4`) },
    {
      group: 'control',
      url: 'public after redirects',
      request: input(redirect(`http://${publicHost}:8080/film.mp4`, 3)),
    },
    { group: 'control', url: 'public FTP', request: input(`ftp://${publicHost}:${ftpPorts[0]}/film.mp4`) },
    {
      group: 'control',
      url: 'public name',
      request: input(`http://to-8-8-8-8.test:8080/film.mp4`, [`http://${publicHost}:8080/notified`]),
    },
  ];
  const add = (group: AddressCase['group'], url: string, request: AddressCase['request'] = input(url)) =>
    cases.push({ group, url, request });

  for (const { host } of hostsOfInputs) {
    const url = `http://${host}/a.mp4`;
    const hooks = [`http://${host}/hook`, `https://user:pass@${host}/hook`];
    add('input', url, input(url, isLong || random() < 0.1 ? hooks : []));
  }
  for (const scheme of schemes)
    for (const { host } of some(0.06)) add('input', `${scheme}://user:pass@${host}/a.mp4`);
  for (const { host } of some(0.1)) {
    const target = `${random() < 0.8 ? 'http' : 'https'}://${host}/a.mp4`;
    add('redirect', target, input(redirect(target, 1 + Math.floor(random() * 3))));
  }
  for (const target of otherTargets) add('redirect', target, input(redirect(target, 1)));
  for (const host of ['127.0.0.1', '169.254.169.254', '10.0.0.1'])
    for (const url of ambiguousUrls(publicHost, host)) add('ambiguous', url);
  for (const name of namesOf(random)) {
    add('name', `http://${name}/a.mp4`);
    add('name', `ftp://${name}/a.mp4`);
    add('name', `sftp://user:pass@${name}/a.mp4`);
    add('redirect', `http://${name}/a.mp4`, input(redirect(`http://${name}/a.mp4`, 1)));
  }
  const fieldHosts = [...some(0.02), { host: 'to-127-0-0-1.test' }, { host: '127.0.0.1' }];
  for (const [index, { host }] of fieldHosts.entries())
    for (const [field, output] of fieldsOf(host, index)) {
      // Each encodes a film: the short form has one field for each spelling, and all fields for two.
      if (!isLong && index < fieldHosts.length - 2 && index % fieldsOf(host, index).length !== field)
        continue;
      add('field', JSON.stringify(output), { input: localFilm, outputs: [output] });
    }
  for (const [index, port] of ftpPorts.entries())
    if (index > 0) add('ftp', `answer ${index} of FTP`, input(`ftp://${publicHost}:${port}/film.mp4`));
  for (const url of storageUrls) add('storage', url);
  // The slowest cases first.
  const rank = ({ group, url }: AddressCase) => Number(group !== 'ftp' && !url.includes('rebind'));
  return cases.toSorted((one, other) => rank(one) - rank(other));
}

/** Redirects to other schemes, which are never followed. */
const otherTargets = [
  'file:///etc/passwd',
  'ftp://127.0.0.1/a.mp4',
  'sftp://127.0.0.1/a.mp4',
  's3://bucket/a.mp4',
  'gopher://127.0.0.1/a',
  'data:video/mp4;base64,AAAA',
  'hosted://0123456789abcdef0123456789abcdef/a.mp4',
  'upload://0123456789abcdef0123456789abcdef/a.mp4',
  '//127.0.0.1/a.mp4',
  '\\\\127.0.0.1\\a.mp4',
  '/\\127.0.0.1/a.mp4',
];

/** Names that the server of names resolves to addresses that are not public, first or later. */
function namesOf(random: () => number): readonly string[] {
  const unique = () => Math.floor(random() * 1e9);
  return [
    'to-127-0-0-1.test',
    'to-0-0-0-0.test',
    'to-10-0-0-1.test',
    'to-169-254-169-254.test',
    'to-100-64-0-1.test',
    'to-v6--1.test',
    'to-v6fd00-ec2--254.test',
    'to-v6--ffff-7f00-1.test',
    'to-v664-ff9b--7f00-1.test',
    'to-127-0-0-1-and-10-0-0-1.test',
    'to-v6fe80--1-and-127-0-0-1.test',
    'xn--to-127-0-0-1-.test',
    `rebind-always-${unique()}.invalid-at-first.test`,
    'TO-127-0-0-1.TEST.',
  ];
}

/** Outputs whose settings name a host, one for each setting. */
function fieldsOf(host: string, index: number): readonly (readonly [number, object])[] {
  const outputs = [
    { url: `ftp://u:p@${host}/out.mp4` },
    { url: `sftp://u:p@${host}/out.mp4` },
    { base_url: `ftp://u:p@${host}/out/`, filename: 'out.mp4' },
    { url: `ftp://u:p@${host}/out.mp4`, secondary_url: `sftp://u:p@${host}/other.mp4` },
    { watermark: { url: `http://${host}/mark.png` } },
    { caption_url: `http://${host}/captions.srt` },
    { thumbnails: { number: 1, base_url: `ftp://u:p@${host}/thumbs/` } },
    { type: 'segmented', encryption_method: 'aes-128', encryption_key_url: `http://${host}/key` },
  ];
  return outputs.map((output, field) => [field, { ...output, label: `f${index}`, width: 32 }] as const);
}

/** Buckets and containers: the server of names resolves the hosts of all services to the loopback, and the Swift login is public. */
const storageUrls = [
  's3://films/a.mp4',
  's3://AKIA:secret@films/a.mp4',
  's3+eu-west-1://AKIA:secret@films.example.com/a.mp4',
  's3://AKIA:secret@127.0.0.1/a.mp4',
  'gcs://GOOG:secret@films/a.mp4',
  'gcs://GOOG:secret@169.254.169.254/a.mp4',
  'cf://user:key@films/a.mp4',
];
