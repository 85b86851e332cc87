import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import { describeProblem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import { isDisabledEntry } from "./import/normalize-entry";
import { readConfigEntry } from "./import/read-entry";
import { nameSecrets } from "./prepare-server";
import { type KnownServer, newServer } from "./server-directory";
import { separateSecrets } from "./server-secrets";
import { readSettings } from "./server-settings";
import type { ServerKnowledge, ServerStore, StoredServer } from "./server-store";
import type { MaskOf } from "./setting-masks";

export interface ConfiguredServers {
  /** The entries by name, as they are in the file. */
  entries: Record<string, unknown>;
  path: string;
}

/** The servers of configuration and database. One that cannot be used is a problem; the others load (REG-02). */
export async function loadServers(
  store: ServerStore,
  configured: ConfiguredServers,
  getMask: MaskOf,
): Promise<{ servers: KnownServer[]; problems: LoadProblem[]; knowledge: Map<string, ServerKnowledge> }> {
  const knowledge = new Map((await store.knowledge()).map((known) => [known.name, known]));
  const servers = new Map<string, KnownServer>();
  const problems: LoadProblem[] = [];
  for (const [name, entry] of Object.entries(configured.entries)) {
    const { settings, problemTexts } = readConfigured(name, entry, getMask);
    if (settings === null) {
      problems.push({ origin: "config", source: configured.path, name, error: problemTexts.join("; ") });
      continue;
    }
    // Values of a configuration file are hidden too, since they may be secrets.
    const { settings: shown, secrets } = separateSecrets(settings, {});
    const enabled = knowledge.get(name)?.disabled !== true && !isDisabledEntry(entry);
    const originPath = configured.path;
    servers.set(name, newServer({ id: null, settings: shown, secrets, enabled, problem: null, originPath }));
  }
  for (const row of await store.list()) {
    if (!servers.has(row.name)) servers.set(row.name, toKnownServer(row));
    else {
      const error = "a server that was added in the console has this name too, and is not loaded: rename this one";
      problems.push({ origin: "config", source: configured.path, name: row.name, error });
    }
  }
  return { servers: Array.from(servers.values()), problems, knowledge };
}

export function toKnownServer(row: StoredServer): KnownServer {
  const { id, settings, secrets, enabled, lastEdit } = row;
  return newServer({ id, settings, secrets, enabled, problem: explainSecrets(row), originPath: null, lastEdit });
}

/** Why a server cannot connect with what is stored of its secrets; null where it can. */
function explainSecrets({ settings, secrets, secretsError }: StoredServer): string | null {
  if (secretsError !== null) return `Its stored secrets cannot be read: ${secretsError}`;
  const missing = nameSecrets(settings, separateSecrets(settings, secrets).missing);
  return missing.length === 0
    ? null
    : `It needs values that no import brings: enter ${missing.join(", ")} in its settings`;
}

function readConfigured(
  name: string,
  entry: unknown,
  getMask: MaskOf,
): { settings: ServerSettings | null; problemTexts: string[] } {
  const { settings, problems } = readConfigEntry(name, entry);
  if (settings === null || problems.length > 0) return { settings: null, problemTexts: problems };
  const read = readSettings(settings, getMask);
  return { settings: read.settings, problemTexts: read.problems.map((problem) => describeProblem(problem)) };
}
