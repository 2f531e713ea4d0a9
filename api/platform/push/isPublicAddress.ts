import { BlockList, isIP } from 'node:net'

/** Networks of IPv4 that are not the public internet: RFC 6890 and its registry. */
const otherNetworks: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Parts of 2000::/3 that are reserved, or contain an IPv4 address that nobody has checked (Teredo, 6to4). */
const otherNetworksOf6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const notPublic = new BlockList()
for (const [network, prefix] of otherNetworks) notPublic.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of otherNetworksOf6) notPublic.addSubnet(network, prefix, 'ipv6')

/** All public addresses of IPv6. Loopback, local, mapped, NAT64 and multicast ones are outside. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/** Whether the address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4')
    case 6:
      // One with a zone, such as fe80::1%eth0, is of the local network.
      return !address.includes('%') && global6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
    default:
      return false
  }
}
