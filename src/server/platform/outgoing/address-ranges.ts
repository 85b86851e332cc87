import { BlockList, isIP } from "node:net";

export function badEntry(entry: string): Error {
  return new Error(`'${entry}' is not a host name, an IP address or a range such as 192.0.2.0/24`);
}

/**
 * Addresses and ranges such as `10.0.0.0/8`. An IPv4 range also covers the IPv6 addresses that contain it: mapped
 * (`BlockList` does that), NAT64 and 6to4.
 * @throws Error that names the entry
 */
export function createRanges(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const version = isIP(address);
    const prefix = bits === undefined ? (version === 4 ? 32 : 128) : Number(/^\d{1,3}$/.test(bits) ? bits : -1);
    if (version === 0 || prefix < 0 || prefix > (version === 4 ? 32 : 128)) throw badEntry(entry);
    ranges.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
    if (version === 6) continue;
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
    const high = (a * 256 + b).toString(16);
    const low = (c * 256 + d).toString(16);
    ranges.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, "ipv6");
    ranges.addSubnet(`2002:${high}:${low}::`, 16 + prefix, "ipv6");
  }
  return ranges;
}

/** Whether the ranges contain an address, also in the form `::ffff:10.0.0.1` or with a zone. */
export function contains(ranges: BlockList, address: string): boolean {
  const plain = address.split("%", 1)[0] ?? "";
  const version = isIP(plain);
  return version !== 0 && ranges.check(plain, version === 4 ? "ipv4" : "ipv6");
}
