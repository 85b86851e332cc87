import type { Actor } from "../../../lib/contract/actor";
import type { ChatUsage } from "../../../lib/contract/chat";
import type { ExecutionSource } from "../../../lib/contract/envelope";
import { type ChatClient, ChatClientError } from "./chat-ports";

/** The caller whose spend a model request counts for. */
export interface ModelSpender {
  actor: Actor;
  source: ExecutionSource;
  /** The run; null for a request outside of runs. */
  runId: string | null;
}

/** Limits of dollars that count what models cost. */
export interface ModelBudget {
  /** Why the next request must not be sent; null where there is room. */
  findRefusal(spender: ModelSpender): Promise<string | null>;
  /** Counts the cost of a response, in US dollars. */
  charge(spender: ModelSpender, cost: number): Promise<void>;
}

/**
 * Asks the budget before each request, and counts each whole response before its calls run. A response without usage or
 * price is not counted.
 * @param toCost null where it is not known
 */
export function withModelBudget(
  client: ChatClient,
  budget: ModelBudget,
  spender: ModelSpender,
  toCost: (usage: ChatUsage) => number | null,
): ChatClient {
  async function admit(): Promise<void> {
    const refusal = await budget.findRefusal(spender);
    if (refusal !== null) throw new ChatClientError("budget", refusal);
  }

  async function count(usage: ChatUsage | undefined): Promise<void> {
    const cost = usage === undefined ? null : toCost(usage);
    if (cost !== null && cost > 0) await budget.charge(spender, cost);
  }

  return {
    async getResponse(messages, options) {
      await admit();
      const response = await client.getResponse(messages, options);
      await count(response.usage);
      return response;
    },
    async *getStreamingResponse(messages, options) {
      await admit();
      for await (const update of client.getStreamingResponse(messages, options)) {
        if (update.type === "response") await count(update.response.usage);
        yield update;
      }
    },
  };
}
