import { type BlockList, isIP } from "node:net";
import { badEntry, contains, createRanges } from "./address-ranges";

/**
 * Which addresses Toolroom may connect to. Checks resolved addresses only, so that the spelling of a host name or an IP
 * address makes no difference.
 */
export interface AddressPolicy {
  /** @returns null where the connection may be opened */
  findRefusal(address: string, hostname: string): AddressRefusedError | null;
}

/** Thrown before anything is sent. The message is for users and says what to do. */
export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
  readonly code = "ERR_ADDRESS_REFUSED";
}

/** Reachable from every cloud instance and answering with its credentials: link-local, and what the clouds use besides. */
const METADATA = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fe80::/10",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
];
/** Names of metadata services, refused regardless of their addresses. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);
/** Everything that is not on the public internet: loopback, private and shared networks, multicast, reserved ranges. */
const PRIVATE = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "64:ff9b:1::/48",
  "fc00::/7",
  "fec0::/10",
  "ff00::/8",
];

const metadata = createRanges(METADATA);
const privates = createRanges(PRIVATE);

interface AddressPolicySettings {
  /** The value of `TOOLROOM_PRIVATE_ADDRESSES`; null for the default, which depends on `local`. */
  privateAddresses: string | null;
  /** True when only users of this machine use the server. */
  local: boolean;
}

/** @throws Error for an entry that is neither a host name, an address nor a range */
export function createAddressPolicy({ privateAddresses, local }: AddressPolicySettings): AddressPolicy {
  const setting = privateAddresses?.trim().toLowerCase() ?? (local ? "allow" : "deny");
  const list = setting === "allow" || setting === "deny" ? null : parseList(setting);
  const isAllowed = (address: string, hostname: string): boolean =>
    list === null ? setting === "allow" : list.names.has(hostname) || contains(list.ranges, address);
  return {
    findRefusal(address, hostname) {
      const name = normalizeName(hostname);
      if (METADATA_NAMES.has(name) || contains(metadata, address)) {
        return new AddressRefusedError(
          `'${address}' is an address of link-local or cloud metadata services, to which Toolroom never connects`,
        );
      }
      if (!contains(privates, address) || isAllowed(address, name)) return null;
      return new AddressRefusedError(
        `'${address}' is a private address, and this Toolroom may not connect to it: an admin can allow it with TOOLROOM_PRIVATE_ADDRESSES`,
      );
    },
  };
}

/** For embedding and for a server on loopback: only metadata services are refused. */
export const LOCAL_ADDRESSES = createAddressPolicy({ privateAddresses: "allow", local: true });

function normalizeName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function parseList(text: string): { names: Set<string>; ranges: BlockList } {
  const entries = text.split(",").flatMap((entry) => entry.trim() || []);
  const isRange = (entry: string): boolean => isIP(entry.split("/", 1)[0] ?? "") !== 0;
  const names = entries.filter((entry) => !isRange(entry));
  const bad = names.find((name) => !/^[a-z0-9._-]+$/.test(name));
  if (bad !== undefined) throw badEntry(bad);
  return { names: new Set(names.map(normalizeName)), ranges: createRanges(entries.filter(isRange)) };
}
