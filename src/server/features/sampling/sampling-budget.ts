import { SAMPLING_BUDGET, type SamplingBudget } from "../../../lib/contract/sampling-limits";
import { SamplingFailure, type SamplingRequest } from "../../engine/mcp-ports";
import type { SamplingStore, SamplingUsage } from "./sampling-store";

export const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const OVER_BUDGET = -32_000;

interface BudgetPorts {
  store: Pick<SamplingStore, "readUsage">;
  now: () => number;
}

/** The highest cost of a request: its own text, and the longest response. */
interface Reservation extends SamplingUsage {
  executionId: string;
  server: string;
}

/** Limits what a server spends to its setting, per call and per hour, for parallel requests too. */
export function createSamplingBudgets({ store, now }: BudgetPorts) {
  /** Requests of this process that a model has not answered yet. */
  const open = new Set<Reservation>();

  function sumOpen(of: (reservation: Reservation) => boolean): SamplingUsage {
    const own = [...open].filter(of);
    return { requests: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  return {
    /**
     * Reserves what a request may cost; the caller releases it once the request is recorded.
     * @throws SamplingFailure that names the part of the budget that is spent, and the setting that raises it
     */
    async reserve(request: SamplingRequest, maxTokens: number): Promise<() => void> {
      const { executionId, server, setting, count, paramsText } = request;
      const budget: SamplingBudget = { ...SAMPLING_BUDGET };
      if (setting.mode === "model") {
        for (const key of Object.keys(SAMPLING_BUDGET) as (keyof SamplingBudget)[])
          budget[key] = setting[key] ?? budget[key];
      }
      if (count > budget.requestsPerCall) throw overBudget("This tool call", "requestsPerCall", budget, null);
      const own: Reservation = {
        executionId,
        server,
        requests: 1,
        tokens: Math.ceil(paramsText.length / 4) + maxTokens,
      };
      // Reserved before the store is read, so that requests that arrive at once do not all find the same budget.
      const before = {
        call: sumOpen((each) => each.executionId === executionId),
        server: sumOpen((each) => each.server === server),
      };
      open.add(own);
      const release = (): void => void open.delete(own);
      try {
        const used = await store.readUsage({ executionId, server, since: now() - HOUR_MS });
        const pauseMs = used.server.oldestAt === null ? null : used.server.oldestAt + HOUR_MS - now();
        if (used.call.tokens + before.call.tokens >= budget.tokensPerCall) {
          throw overBudget("This tool call", "tokensPerCall", budget, null);
        }
        if (used.server.requests + before.server.requests >= budget.requestsPerHour) {
          throw overBudget(`The server '${server}'`, "requestsPerHour", budget, pauseMs);
        }
        if (used.server.tokens + before.server.tokens >= budget.tokensPerHour) {
          throw overBudget(`The server '${server}'`, "tokensPerHour", budget, pauseMs);
        }
        return release;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

function overBudget(
  who: string,
  part: keyof SamplingBudget,
  budget: SamplingBudget,
  pauseMs: number | null,
): SamplingFailure {
  const what = part.startsWith("requests") ? "sampling requests" : "tokens of sampling requests";
  const period = part.endsWith("Hour") ? " an hour" : "";
  const setting = `sampling.${part} in the server's settings`;
  const minutes = Math.max(1, Math.ceil((pauseMs ?? 0) / MINUTE_MS));
  const wayOut = pauseMs === null ? `Raise ${setting}.` : `Try again in ${minutes} min, or raise ${setting}.`;
  return new SamplingFailure(OVER_BUDGET, `${who} may make at most ${budget[part]} ${what}${period}. ${wayOut}`);
}
