/**
 * Which addresses the agent may reach: the public internet, never this machine or its network.
 * A host name is checked when it is resolved, and the connection goes to the very address that was checked.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface Address {
  address: string;
  family: number;
}
export type Lookup = (host: string) => Promise<Address[]>;

export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

/** Public by its range, but a cloud's metadata service. */
const METADATA = new Set(["168.63.129.16"]);
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)\.?$/i;

/** Pure: what can be said before any name is resolved. */
export function fetchAllowed(address: string | URL): boolean {
  return refusal(address) === undefined;
}

/** Why an address may not be fetched; undefined if its name or number is acceptable. */
export function refusal(address: string | URL): string | undefined {
  const url = typeof address === "string" ? URL.parse(address) : address;
  if (!url) return "is not a complete address; it must begin with https:// or http://";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "only http and https can be fetched";
  if (url.username !== "" || url.password !== "") return "addresses with a user name or password are not fetched";
  // The URL parser has turned decimal, octal and short forms into plain numbers by now.
  const host = bareHost(url);
  if (LOCAL_NAME.test(host)) return "is a local name";
  if (isIP(host) !== 0 && !isPublic(host)) return "is a private or local network address";
  return undefined;
}

/** Only plain global unicast: mapped, translated and tunnelled forms could stand for anything. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === "unicast" && !METADATA.has(address);
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** `host` or `host:port` entries that an operator opened. */
export function isOpened(url: URL, opened: string[]): boolean {
  const host = bareHost(url).toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return opened.some((entry) => [host, url.host.toLowerCase(), `${host}:${port}`].includes(entry.toLowerCase()));
}

export const resolveHost: Lookup = (host) => systemLookup(host, { all: true });

/** For a socket's `lookup`: one private address among the answers refuses the name. */
export function guardedLookup(resolve: Lookup): LookupFunction {
  return lookupWith(async (host) => {
    const found = await resolve(host);
    const bad = found.find((entry) => !isPublic(entry.address));
    if (bad) throw new RefusedAddress(`${host} leads to a private or local network address`);
    return found;
  });
}

/** A promise of addresses in the shape sockets ask for. */
export function lookupWith(resolve: Lookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (!first) callback(new RefusedAddress(`${host} has no address`), "", 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, "", 0),
    );
  };
}
