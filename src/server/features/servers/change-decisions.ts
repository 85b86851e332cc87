import type { Actor } from "../../../lib/contract/actor";
import type {
  ChangeDecision,
  ChangeDecisionOutcome,
  HeldChangePage,
  HeldEntries,
  HeldReference,
  HeldStatus,
} from "../../../lib/contract/held-change";
import { formatJson } from "../../../lib/json/format-json";
import { catalogToolName } from "../../../lib/portable-name";
import type { ListedTool } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import { listApplied, listApproved, listWaiting, type WaitingEntry } from "./change-gate";
import type { KnownServer } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { PinDecision } from "./server-store";
import { findEntry, hashChanged } from "./tool-entries";
import type { ToolUpdates } from "./tool-updates";

const MAX_SHOWN = 200;

interface DecisionContext {
  ports: Pick<ServerServicePorts, "store" | "clock">;
  /** @throws AppError NOT_FOUND */
  find: (name: string) => KnownServer;
  updates: ToolUpdates;
}

/** Changed tools of servers, waiting for approval or in use without one: reads and decisions. */
export function createChangeDecisions({ ports, find, updates }: DecisionContext) {
  return {
    /** Undecided changes first, then those that are in use. */
    heldChanges(name: string): HeldChangePage {
      const { gate, listed } = find(name);
      const changes = [...gate.held.values(), ...listApplied(name, gate, listed)].sort(
        (left, right) => RANKS[left.status] - RANKS[right.status],
      );
      const items = changes.slice(0, MAX_SHOWN).map((change) => ({
        ...change,
        catalogName: catalogToolName(name, change.tool),
      }));
      return { items, total: changes.length };
    },

    waitingChanges(name: string): WaitingEntry[] {
      const { gate, listed } = find(name);
      return listWaiting(gate, listed);
    },
    approvedList(name: string): ListedTool[] {
      const { gate, listed } = find(name);
      return listApproved(gate, listed);
    },

    /** Both entries as JSON texts; the first is null for a new tool, the second for a removed one. */
    heldEntries(name: string, tool: string, hash: string): HeldEntries {
      const { gate, listed } = find(name);
      const change = listWaiting(gate, listed).find((each) => each.tool === tool && each.hash === hash);
      if (change === undefined) {
        throw new AppError("NOT_FOUND", `This change of '${tool.slice(0, 200)}' waits no longer: reload the page`);
      }
      return {
        before: change.before === null ? null : toText(change.before.entry),
        after: change.after === undefined ? null : toText(change.after),
      };
    },

    /** The first decision on a change wins; approving a blocked one later is another decision. */
    async decideChanges(
      actor: Actor,
      name: string,
      references: readonly HeldReference[],
      decision: ChangeDecision,
    ): Promise<ChangeDecisionOutcome> {
      const at = ports.clock.now();
      const outcome: ChangeDecisionOutcome = { decided: [], missed: [] };
      rejectHoldWithoutPolicy(find(name), references, decision);
      await updates.review(find(name), async (server) => {
        for (const { tool, hash, status } of references) {
          const given = { tool, hash, status, decision, by: actor, at };
          const decided =
            status === "applied"
              ? await decideApplied(server, given, ports.store)
              : await decideHeld(server, given, ports.store);
          outcome[decided ? "decided" : "missed"].push(tool);
        }
      });
      return outcome;
    },
  };
}

const RANKS: Record<HeldStatus, number> = { open: 0, applied: 1, blocked: 2, ignored: 2 };

/** Rejects a block where a server's changes apply at once. */
function rejectHoldWithoutPolicy(
  { settings }: KnownServer,
  references: readonly HeldReference[],
  decision: ChangeDecision,
): void {
  const isOff = (settings.changedTools ?? "off") === "off";
  if (!isOff || decision === "approve" || !references.some(({ status }) => status === "applied")) return;
  throw new AppError(
    "INVALID",
    `decision: changes of '${settings.name}' are used at once. Hold changes of this server first (changedTools: auto or review)`,
  );
}

type GivenDecision = Omit<PinDecision, "entry">;
type DecisionStore = Pick<ServerServicePorts["store"], "pins" | "applied">;

async function decideHeld(server: KnownServer, given: GivenDecision, { pins }: DecisionStore): Promise<boolean> {
  const { settings, listed, gate } = server;
  const approved = gate.pins.get(given.tool)?.approved ?? null;
  const listedEntry = findEntry(listed, given.tool);
  if (hashChanged(listedEntry, approved?.hash ?? "") !== given.hash) return false;
  const entry = listedEntry ?? approved?.entry;
  return entry !== undefined && (await pins.decide(settings.name, { ...given, entry }));
}

/** Accepts a change that is in use, or brings back the entry before it and holds the change. */
async function decideApplied(server: KnownServer, given: GivenDecision, store: DecisionStore): Promise<boolean> {
  const { settings, gate } = server;
  const { tool, hash, decision, at } = given;
  const change = gate.applied.get(tool);
  if (change?.hash !== hash || !(await store.applied.accept(settings.name, tool, hash))) return false;
  if (decision === "approve") return true;
  const { before } = change;
  await store.pins.change(settings.name, [{ kind: "hold", tool, hash, at, approved: before }]);
  return await store.pins.decide(settings.name, { ...given, status: "open", entry: before.entry });
}

const toText = (entry: ListedTool): string => formatJson(entry);
