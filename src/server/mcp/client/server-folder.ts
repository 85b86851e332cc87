import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";

/** Names of devices on Windows, with any extension: no folder can have them. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const CASELESS: readonly NodeJS.Platform[] = ["win32", "darwin"];

/**
 * The working folder of a server. Where the file system ignores case, names that differ in case get folders of their own, and
 * on Windows so do names of devices; `~` is in no server's name. A folder that exists is kept.
 * @param parent holds the folders of all servers
 */
export function findServerFolder(parent: string, server: string, platform: NodeJS.Platform): string {
  const plain = path.join(parent, server);
  if (!CASELESS.includes(platform)) return plain;
  const lower = server.toLowerCase();
  const isDevice = platform === "win32" && DEVICES.test(server);
  // Folders of one user's connections are beside it, with the user behind a dot.
  const present = isDevice ? [] : listNames(parent).map((name) => name.split(".", 1)[0] ?? "");
  const isTaken = present.some((name) => name.toLowerCase() === lower);
  if (present.includes(server) || (server === lower && !isDevice && !isTaken)) return plain;
  return path.join(parent, `${lower}~${createHash("sha256").update(server).digest("hex").slice(0, 8)}`);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
