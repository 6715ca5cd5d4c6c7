import { BlockList, isIP, isIPv6 } from 'node:net';

/** What the page needs to know of the daemon's flags. */
export interface PageOptions {
  /** The address of `--host`. */
  readonly host: string;
  /** `--public-url`; null for the address that the browser uses. */
  readonly publicUrl: string | null;
  /** Further names under which a browser may open the page (`--ui-host`). */
  readonly hosts: readonly string[];
  /** The header in which a proxy names the account of the visitor (`--ui-user-header`); null for none. */
  readonly userHeader: string | null;
  /** The networks of proxies whose headers count (`--trust-proxy`), such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
}

/** The networks of a list in CIDR notation, which may have single addresses. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', length] = text.split('/');
    const isV6 = isIPv6(address);
    list.addSubnet(address, Number(length ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Whether an address is in a list of networks. */
export function isInNetworks(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) === 0) return false;
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}
