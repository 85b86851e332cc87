import type { LoadProblem, ServerSettings } from "../../../lib/contract";
import { isPlainObject } from "../../../lib/contract/json";
import { settingsFromConfigEntry } from "./parse-mcp-json";
import { type KnownServer, newServer } from "./server-directory";
import { separateSecrets } from "./server-secrets";
import { readSettings } from "./server-settings";
import type { ServerKnowledge, ServerStore, StoredServer } from "./server-store";
import { sentence } from "./settings-errors";

export interface ConfiguredServers {
  /** By name, as the file has them. */
  entries: Record<string, unknown>;
  path: string;
}

/** The servers of configuration and database. One that cannot be used is a problem; the others load (REG-02). */
export async function loadServers(
  store: ServerStore,
  configured: ConfiguredServers,
): Promise<{ servers: KnownServer[]; problems: LoadProblem[]; knowledge: Map<string, ServerKnowledge> }> {
  const knowledge = new Map((await store.knowledge()).map((known) => [known.name, known]));
  const servers = new Map<string, KnownServer>();
  const problems: LoadProblem[] = [];
  for (const [name, entry] of Object.entries(configured.entries)) {
    const { settings, faults } = readConfigured(name, entry);
    if (settings === null) {
      problems.push({ origin: "config", source: configured.path, name, error: faults.join("; ") });
      continue;
    }
    // Values of a configuration file are not shown either: they may be secrets as well as any other.
    const { settings: shown, secrets } = separateSecrets(settings, {});
    const enabled = knowledge.get(name)?.disabled !== true && !isSwitchedOff(entry);
    const originPath = configured.path;
    servers.set(name, newServer({ id: null, settings: shown, secrets, enabled, fault: null, originPath }));
  }
  for (const row of await store.list()) {
    if (!servers.has(row.name)) servers.set(row.name, serverOfRow(row));
    else {
      const error = `the name is taken by a server of ${configured.path}, which stays; rename one of them`;
      problems.push({ origin: "console", source: "database", name: row.name, error });
    }
  }
  return { servers: Array.from(servers.values()), problems, knowledge };
}

export function serverOfRow(row: StoredServer): KnownServer {
  const fault = row.secretsFault === null ? null : `Its stored secrets cannot be read: ${row.secretsFault}`;
  const { id, settings, secrets, enabled } = row;
  return newServer({ id, settings, secrets, enabled, fault, originPath: null });
}

/** As several clients write it into their files. */
export function isSwitchedOff(entry: unknown): boolean {
  return isPlainObject(entry) && (entry.disabled === true || entry.enabled === false);
}

function readConfigured(name: string, entry: unknown): { settings: ServerSettings | null; faults: string[] } {
  const { settings, problems } = settingsFromConfigEntry(name, entry);
  if (settings === null || problems.length > 0) return { settings: null, faults: problems };
  const read = readSettings(settings);
  return { settings: read.settings, faults: read.problems.map(sentence) };
}
