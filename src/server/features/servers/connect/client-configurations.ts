import {
  type ClientConfiguration,
  type ClientConfigurations,
  CONNECT_CLIENTS,
  TOKEN_PLACEHOLDER,
} from "../../../../lib/contract/client-configuration";
import { CLIENT_TRANSPORTS, type ClientTransport } from "../../../../lib/contract/client-transport";
import type { Shell } from "../../../../lib/shell-line";
import { createBridgeCommand, createWrapLine, findShell, type Installation, type LocalCommand } from "./bridge-command";
import { CLIENT_FORMATS, type ClientFormat, type RemoteServer } from "./client-formats";

/** The part of the catalog for a client; all of it where nothing is named. */
export interface ServedPart {
  server?: string | undefined;
  toolset?: string | undefined;
}

/** The transports over which a client has to send an API token. */
export type TokenNeeds = Readonly<Record<ClientTransport, boolean>>;

/** The addresses and names of Toolroom for a client. */
interface Offer {
  name: string;
  http: RemoteServer;
  stdio: LocalCommand;
  /** The shell of the machine where the command over stdio runs; null where that is the reader's machine. */
  shell: Shell | null;
}

function createOffer(
  origin: string,
  installation: Installation,
  { server, toolset }: ServedPart,
  needsToken: TokenNeeds,
): Offer {
  // An address cannot contain half of a character.
  const part = (toolset ?? server)?.toWellFormed();
  const folder = toolset === undefined ? "" : "/sets";
  const url = `${origin}/mcp${part === undefined ? "" : `${folder}/${encodeURIComponent(part)}`}`;
  const options = part === undefined ? [] : [toolset === undefined ? "--server" : "--set", part];
  const stdio = createBridgeCommand(installation, origin, options);
  return {
    name: part === undefined ? "toolroom" : `toolroom-${part}`,
    http: needsToken.http ? { url, headers: { Authorization: `Bearer ${TOKEN_PLACEHOLDER}` } } : { url },
    shell: findShell(installation, origin),
    stdio: needsToken.stdio ? { ...stdio, env: { ...stdio.env, TOOLROOM_API_TOKEN: TOKEN_PLACEHOLDER } } : stdio,
  };
}

/**
 * Ready configurations for MCP clients of this Toolroom. Each leads to it by its data folder or its address.
 * @param origin where the console is open, such as `http://127.0.0.1:3000`
 */
export function clientConfigurations(
  origin: string,
  installation: Installation,
  part: ServedPart,
  needsToken: TokenNeeds,
): ClientConfigurations {
  const offer = createOffer(origin, installation, part, needsToken);
  const items = CONNECT_CLIENTS.flatMap((client) =>
    CLIENT_TRANSPORTS.flatMap((transport): ClientConfiguration[] => {
      const format = CLIENT_FORMATS[client.id];
      const written = write(format, transport, offer);
      if (written === null) return [];
      const { place, language, text, powershell = null } = written.snippet;
      const isWindows = installation.platform === "win32";
      const needs = needsToken[transport];
      return [
        {
          client: client.id,
          label: client.label,
          transport,
          place: isWindows ? (format.windowsPlace ?? place) : place,
          language,
          text,
          powershell,
          // A token has no place in an address.
          install: needs ? null : written.install,
          needsToken: needs,
        },
      ];
    }),
  );
  return { items, wrap: createWrapLine(installation, origin) };
}

function write({ http, stdio, install }: ClientFormat, transport: ClientTransport, offer: Offer) {
  const { name } = offer;
  if (transport === "http") {
    return http ? { snippet: http(name, offer.http), install: install?.http?.(name, offer.http) ?? null } : null;
  }
  if (!stdio) return null;
  return {
    snippet: stdio(name, offer.stdio, offer.shell),
    install: install?.stdio?.(name, offer.stdio) ?? null,
  };
}
