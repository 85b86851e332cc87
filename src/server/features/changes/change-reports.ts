import type { SchemaChecker } from "../../../lib/contract/change-verdict";
import { reachesSeverity, type TrafficVerdict } from "../../../lib/contract/change-verdict";
import { getMessage } from "../../../lib/get-message";
import { catalogToolName } from "../../../lib/portable-name";
import type { Clock, Logger } from "../../engine/ports";
import { createKeyedMutex } from "../../platform/shared/mutex";
import type { CheckTraffic, TrafficWindow } from "./check-traffic";
import type { ReportStore } from "./report-store";

const DAY_MS = 86_400_000;
/** The number of calls that are checked without a user's choice; small enough not to delay other work. */
const DEFAULT_WINDOW = { calls: 10_000, days: 30 };

/** A change that waits, with both entries of the server's list. */
export interface WaitingChange {
  tool: string;
  hash: string;
  /** The previous entry; null for a new tool, which has no calls. */
  before: { entry: unknown } | null;
  /** Undefined where the tool is gone. */
  after: unknown;
}

interface ReportPorts {
  store: ReportStore;
  checkTraffic: CheckTraffic;
  checkSchemas: SchemaChecker["check"];
  clock: Clock;
  logger: Logger;
  publish: (server: string) => void;
}

export type ChangeReports = ReturnType<typeof createChangeReports>;

export function toWindow({ calls, days }: { calls: number; days: number | null }, now: number): TrafficWindow {
  return { calls, since: days === null ? null : now - days * DAY_MS };
}

/** Checks recorded calls against pending changes of servers and stores the reports while the changes wait. */
export function createChangeReports({ store, checkTraffic, checkSchemas, clock, logger, publish }: ReportPorts) {
  const inOrder = createKeyedMutex();
  const check = (
    server: string,
    change: Pick<WaitingChange, "tool" | "after"> & { before: { entry: unknown } },
    window: TrafficWindow,
  ) =>
    checkTraffic({
      tool: change.tool,
      catalogName: catalogToolName(server, change.tool),
      window,
      entries: { before: change.before.entry, after: change.after },
    });

  async function write(server: string, change: WaitingChange, window: TrafficWindow): Promise<TrafficVerdict | null> {
    const { tool, hash, before } = change;
    if (before === null) return null;
    const { verdict, brokenIds } = await check(server, { ...change, before }, window);
    await store.writeTraffic({ server, tool, hash }, { traffic: verdict, brokenIds, at: clock.now() });
    return verdict;
  }

  return {
    /** Whether a schema that need not be breaking, or recorded calls speak against a change. One that cannot be checked is left to a user. */
    async isQuestioned(server: string, tool: string, before: unknown, after: unknown): Promise<boolean> {
      try {
        const { verdicts } = await checkSchemas([before], [after]);
        if (verdicts.some(({ severity }) => reachesSeverity(severity, "warning"))) return true;
        const window = toWindow(DEFAULT_WINDOW, clock.now());
        const { verdict } = await check(server, { tool, before: { entry: before }, after }, window);
        return reachesSeverity(verdict.severity, "warning");
      } catch (error) {
        logger.error(
          { server, tool, error: getMessage(error) },
          "Recorded calls could not be checked by a changed tool",
        );
        return true;
      }
    },

    /** Checks changes that have no report yet, and forgets what no longer waits. Never rejects. */
    follow: (server: string, changes: readonly WaitingChange[]): Promise<void> =>
      inOrder(server, async () => {
        try {
          const known = new Map(
            (await store.list(server)).map(({ tool, hash, traffic }) => [tool, traffic === null ? null : hash]),
          );
          if (known.size > 0)
            await store.keepOnly(
              server,
              changes.map(({ tool }) => tool),
            );
          const window = toWindow(DEFAULT_WINDOW, clock.now());
          let checked = 0;
          for (const change of changes) {
            if (known.get(change.tool) === change.hash) continue;
            if ((await write(server, change, window)) !== null) checked += 1;
          }
          if (checked > 0) publish(server);
        } catch (error) {
          logger.error({ server, error: getMessage(error) }, "Recorded calls could not be checked by changed tools");
        }
      }),

    /** Checks again, with another window. */
    checkAgain: (server: string, changes: readonly WaitingChange[], window: TrafficWindow): Promise<void> =>
      inOrder(server, async () => {
        for (const change of changes) await write(server, change, window);
        publish(server);
      }),
  };
}
