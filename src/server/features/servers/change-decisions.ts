import type { Actor } from "../../../lib/contract/actor";
import type {
  ChangeDecision,
  ChangeDecisionOutcome,
  HeldChangePage,
  HeldReference,
} from "../../../lib/contract/held-change";
import { catalogToolName } from "../../../lib/portable-name";
import type { ListedTool } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import { findEntry, hashEntry, listApproved, listWaiting, type WaitingEntry } from "./change-gate";
import type { KnownServer } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { ToolUpdates } from "./tool-updates";

const MAX_SHOWN = 200;

interface DecisionContext {
  ports: Pick<ServerServicePorts, "store" | "clock">;
  /** @throws AppError NOT_FOUND */
  find: (name: string) => KnownServer;
  updates: ToolUpdates;
}

/** Changed tools that wait for approval: reads and decisions. */
export function createChangeDecisions({ ports, find, updates }: DecisionContext) {
  return {
    /** Undecided changes first. */
    heldChanges(name: string): HeldChangePage {
      const held = [...find(name).gate.held.values()].sort(
        (left, right) => Number(left.status !== "open") - Number(right.status !== "open"),
      );
      const items = held.slice(0, MAX_SHOWN).map((change) => ({
        ...change,
        catalogName: catalogToolName(name, change.tool),
      }));
      return { items, total: held.length };
    },

    waitingChanges(name: string): WaitingEntry[] {
      const { gate, listed } = find(name);
      return listWaiting(gate, listed);
    },
    approvedList(name: string): ListedTool[] {
      const { gate, listed } = find(name);
      return listApproved(gate, listed);
    },

    /** The entry that was approved and the one that waits, as JSON texts; the first is null for a new tool. */
    heldEntries(name: string, tool: string, hash: string): { before: string | null; after: string } {
      const { gate, listed } = find(name);
      const entry = findEntry(listed, tool);
      if (gate.held.get(tool)?.hash !== hash || entry === undefined) {
        throw new AppError("NOT_FOUND", `This change of '${tool.slice(0, 200)}' waits no longer: reload the page`);
      }
      const approved = gate.pins.get(tool)?.approved ?? null;
      return { before: approved === null ? null : toText(approved.entry), after: toText(entry) };
    },

    /** The first decision on a change wins; approving a blocked one later is another decision. */
    async decideChanges(
      actor: Actor,
      name: string,
      references: readonly HeldReference[],
      decision: ChangeDecision,
    ): Promise<ChangeDecisionOutcome> {
      const { store, clock } = ports;
      const outcome: ChangeDecisionOutcome = { decided: [], missed: [] };
      await updates.review(find(name), async ({ listed }) => {
        for (const { tool, hash, status } of references) {
          const entry = findEntry(listed, tool);
          const isShown = entry !== undefined && hashEntry(entry) === hash;
          const given = { tool, hash, status, decision, by: actor, at: clock.now() };
          const decided = isShown && (await store.pins.decide(name, { ...given, entry }));
          outcome[decided ? "decided" : "missed"].push(tool);
        }
      });
      return outcome;
    },
  };
}

const toText = (entry: ListedTool): string => JSON.stringify(entry, null, 2) ?? "null";
