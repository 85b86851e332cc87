import type { Actor } from "../../../lib/contract/actor";
import type { ServerDetail } from "../../../lib/contract/server";
import { messageOf } from "../../../lib/message-of";
import { nameConflict } from "../../platform/shared/name-conflict";
import type { EditContext } from "./edit-context";
import { toKnownServer } from "./load-servers";
import { type KnownServer, toDetail } from "./server-directory";
import { validateSettings } from "./validate-settings";

interface ImportOutcome {
  created: string[];
  rejected: { name: string; error: string }[];
}

type ImportCandidates = readonly { settings: unknown; enabled: boolean }[];

/** Creating servers, one or several at a time. */
export function createServerAdditions(context: EditContext) {
  const { ports, runExclusive } = context;
  return {
    /** @param enabled false adds it disabled: nothing starts */
    create: (actor: Actor, candidate: unknown, enabled = true): Promise<ServerDetail> =>
      runExclusive(async () => toDetail(await addServer(context, candidate, enabled, actor), ports)),

    import: (actor: Actor, candidates: ImportCandidates): Promise<ImportOutcome> =>
      runExclusive(() => importServers(context, candidates, actor)),
  };
}

async function addServer(
  { ports, servers, applySettings }: EditContext,
  candidate: unknown,
  enabled: boolean,
  by: Actor,
): Promise<KnownServer> {
  const { settings, secrets } = validateSettings(candidate, undefined, ports.maskOf);
  if (servers.has(settings.name)) throw nameConflict("server", settings.name);
  // A new server must not inherit tools, sign-in or `never` settings from a deleted one of its name. Cleared before the row is
  // stored: a full disk must not leave a server that only the database knows.
  await ports.store.forget(settings.name);
  await ports.forgetServerTools(settings.name, { keepFacts: false });
  const server = toKnownServer(await ports.store.create({ settings, secrets, enabled, by }));
  servers.set(settings.name, server);
  await applySettings(server);
  return server;
}

/** One rejected server does not affect the others. */
async function importServers(context: EditContext, candidates: ImportCandidates, by: Actor): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { created: [], rejected: [] };
  for (const { settings, enabled } of candidates) {
    try {
      outcome.created.push((await addServer(context, settings, enabled, by)).settings.name);
    } catch (error) {
      const name = String((settings as { name?: unknown } | null)?.name ?? "");
      outcome.rejected.push({ name, error: messageOf(error) });
    }
  }
  return outcome;
}
