import type { Actor, RunSource, ToolSelection } from "../../src/lib/contract";
import type { PlannedTurn } from "./agent-plan";
import type { ModelName } from "./agent-tools";
import type { Random } from "./random";

export interface Customer {
  id: string;
  name: string;
  order: string;
  /** In euro. */
  total: number;
}

/** What one run is about; `random` fills in whom it is about. */
export interface Story {
  model: ModelName;
  actor: Actor;
  source?: RunSource;
  instructions?: string;
  tools?: ToolSelection;
  turns(customer: Customer, random: Random): PlannedTurn[];
  /** It repeats the story before it, from this model call on. */
  rerun?: { step: number; results: "live" | "recorded" };
}

const NAMES = ["Ada Byron", "Björk Jónsdóttir", "Chen Wei", "Dara Okafor", "Émile Zola", "Fatima Noor"] as const;

export function someCustomer(random: Random): Customer {
  return {
    id: `cus_${random.int(1000, 1400)}`,
    name: random.pick(NAMES),
    order: `ord_${random.int(70_000, 79_999)}`,
    total: random.int(1900, 38_900) / 100,
  };
}

export const some = (...tools: string[]): ToolSelection => ({ mode: "some", tools, servers: [] });

export const SUPPORT =
  "You help the support team of a web shop. Look things up before you answer, name the ids you used, and keep it short.";
