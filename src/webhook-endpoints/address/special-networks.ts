import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not of the public internet (IANA, special-purpose address registry), and multicast. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
] as const;

/** The part of IPv6 that is given out, and the networks in it that lead elsewhere: tunnels of IPv4, and documentation. */
const global6 = ['2000::/3'] as const;
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

const specialIPv4 = networksOf(special4);
const globalIPv6 = networksOf(global6);
const specialIPv6 = networksOf(special6);

/** Networks by their CIDR notation; an address alone is a network of itself. They are checked already. */
export function networksOf(cidrs: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const [family, longest] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    networks.addSubnet(address, bits === undefined ? longest : Number(bits), family);
  }
  return networks;
}

/** Whether an IP address belongs to one of the networks. An IPv4 address in IPv6 form counts as that IPv4 address. */
export function isIn(networks: BlockList, address: string): boolean {
  const version = isIP(address);
  // A scoped address (fe80::1%eth0) is link-local, and no network of a list has a scope.
  if (version === 0 || address.includes('%')) return false;
  return networks.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !isIn(specialIPv4, address);
  return isIn(globalIPv6, address) && !isIn(specialIPv6, address);
}
