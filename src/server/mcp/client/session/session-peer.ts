import type { ConnectionState, ServerPeer } from "../../../../lib/contract/connection-state";
import { isPlainObject } from "../../../../lib/contract/json";
import { declaresSkills } from "../../../../lib/skills";
import type { ProtocolSession } from "./protocol-session";

const MAX_NAME_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 2000;
const MAX_URL_CHARS = 2000;
const MAX_INSTRUCTIONS_CHARS = 50_000;
const MAX_ICONS = 10;
const MAX_ICON_CHARS = 32_768;

type Quote = ProtocolSession["log"]["quoteForCaller"];

/** The server's description of itself: shown, never trusted. */
export function readPeer(
  session: ProtocolSession,
): Pick<ConnectionState, "protocolVersion" | "peer" | "instructions" | "capabilities"> {
  const { client, log } = session;
  const quote: Quote = (text, maxChars) => log.quoteForCaller(text, maxChars);
  const instructions = client.getInstructions();
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    peer: toPeer(client.getServerVersion(), quote),
    instructions: instructions === undefined ? null : quote(instructions, MAX_INSTRUCTIONS_CHARS),
    capabilities: [
      ...Object.keys(session.capabilities),
      // The console shows them beside resources and prompts.
      ...(declaresSkills(session.capabilities) ? ["skills"] : []),
    ]
      .sort()
      .slice(0, 50)
      .map((name) => quote(name, MAX_NAME_CHARS)),
  };
}

function toPeer(info: Record<string, unknown> | undefined, quote: Quote): ServerPeer | null {
  if (info === undefined) return null;
  const { name, version, title, description, websiteUrl, icons } = info;
  const peer: ServerPeer = {
    name: quote(String(name), MAX_NAME_CHARS),
    version: quote(String(version), MAX_NAME_CHARS),
  };
  if (typeof title === "string") peer.title = quote(title, MAX_NAME_CHARS);
  if (typeof description === "string") peer.description = quote(description, MAX_DESCRIPTION_CHARS);
  if (isAddress(websiteUrl, /^https?:/i, MAX_URL_CHARS)) peer.websiteUrl = quote(websiteUrl, MAX_URL_CHARS);
  const read = Array.isArray(icons) ? icons.slice(0, MAX_ICONS).flatMap((icon) => readIcon(icon, quote)) : [];
  if (read.length > 0) peer.icons = read;
  return peer;
}

/** Clients refuse the whole handshake for one icon that is not in order, so such a one is left out. */
function readIcon(icon: unknown, quote: Quote): NonNullable<ServerPeer["icons"]> {
  const { src, mimeType, sizes, theme } = isPlainObject(icon) ? icon : {};
  if (!isAddress(src, /^(?:https?|data):/i, MAX_ICON_CHARS)) return [];
  const short = (text: unknown): text is string => typeof text === "string" && text.length <= MAX_NAME_CHARS;
  return [
    {
      src: quote(src, MAX_ICON_CHARS),
      ...(short(mimeType) ? { mimeType: quote(mimeType, MAX_NAME_CHARS) } : {}),
      ...(Array.isArray(sizes) && sizes.length <= MAX_ICONS && sizes.every(short)
        ? { sizes: sizes.map((size) => quote(size, MAX_NAME_CHARS)) }
        : {}),
      ...(theme === "light" || theme === "dark" ? { theme } : {}),
    },
  ];
}

function isAddress(value: unknown, scheme: RegExp, maxChars: number): value is string {
  return typeof value === "string" && value.length <= maxChars && scheme.test(value);
}
