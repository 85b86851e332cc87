import type { ConnectionState } from "../../../../lib/contract";
import type { ProtocolSession } from "./protocol-session";

const MAX_NAME_CHARS = 200;
const MAX_INSTRUCTIONS_CHARS = 50_000;

/** The server's description of itself: shown, never trusted. */
export function readPeer(
  session: ProtocolSession,
): Pick<ConnectionState, "protocolVersion" | "peer" | "instructions" | "capabilities"> {
  const { client } = session;
  const version = client.getServerVersion();
  const instructions = client.getInstructions();
  const short = (text: string): string => session.log.quote(text, MAX_NAME_CHARS);
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
    peer:
      version === undefined
        ? null
        : {
            name: short(version.name),
            version: short(version.version),
            ...(version.title === undefined ? {} : { title: short(version.title) }),
          },
    instructions: instructions === undefined ? null : session.log.quote(instructions, MAX_INSTRUCTIONS_CHARS),
    capabilities: Object.keys(session.capabilities).sort().slice(0, 50).map(short),
  };
}
