import { hasRole, type Principal } from "../../../lib/contract/access";
import type { SpendGroup, SpendInput, SpendReport } from "../../../lib/contract/spend";
import { MAX_SPEND_DAYS, toDate, toSpendDays } from "../../../lib/contract/spend-days";
import { toAmount } from "../../engine/rules/limits/limit-slot";
import { splitClient } from "../../engine/rules/split-client";
import { invalidInput } from "../../platform/shared/app-error";
import type { SpendRow, SpendStore } from "./spend-store";

const MAX_GROUPS = 1_000;

interface SpendPorts {
  store: SpendStore;
  now: () => number;
}

/** What calls of tools and models cost, from sums that are kept when the executions are gone. */
export function createSpendService({ store, now }: SpendPorts) {
  return {
    /** Admins read everyone's spend, others their own: a price may be computed from arguments that they must not read. */
    async read(reader: Principal, input: SpendInput): Promise<SpendReport> {
      const { first, last } = readDays(input, now());
      const user = hasRole(reader.role, "admin") ? null : reader.id;
      const query = { first, last, user };
      const [days, groups] = await Promise.all([
        store.read({ ...query, by: "day" }),
        input.by === "day" ? null : store.read({ ...query, by: input.by }),
      ]);
      const byDay = new Map(days.map((row) => [row.value, row]));
      const everyDay = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      return {
        from: toDate(first),
        to: toDate(last),
        isOwn: user !== null,
        total: toAmounts(sumRows(days)),
        days: everyDay.map((day) => {
          const { tools, models } = byDay.get(String(day)) ?? NOTHING;
          return { day: toDate(day), tools: toAmount("money", tools), models: toAmount("money", models) };
        }),
        groups:
          groups === null
            ? days
                .toSorted((left, right) => Number(left.value) - Number(right.value))
                .map((row) => toGroup(toDate(Number(row.value)), toDate(Number(row.value)), row))
            : listGroups(groups, input.by),
      };
    },
  };
}

/** @throws AppError INVALID */
function readDays(input: SpendInput, now: number): { first: number; last: number } {
  const days = toSpendDays(input, now);
  const reject = (message: string) => invalidInput("", [{ path: "from", message }]);
  if (days.first > days.last) throw reject("must not be after `to`");
  if (days.last - days.first >= MAX_SPEND_DAYS) throw reject(`must give at most ${MAX_SPEND_DAYS} days with \`to\``);
  return days;
}

type Amounts = Pick<SpendRow, "calls" | "tools" | "models">;

const NOTHING: Amounts = { calls: 0, tools: 0, models: 0 };

const addAmounts = (one: Amounts, other: Amounts): Amounts => ({
  calls: one.calls + other.calls,
  tools: one.tools + other.tools,
  models: one.models + other.models,
});

const sumRows = (rows: readonly Amounts[]): Amounts => rows.reduce(addAmounts, NOTHING);

const toAmounts = ({ calls, tools, models }: Amounts) => ({
  tools: toAmount("money", tools),
  models: toAmount("money", models),
  calls,
});

const toGroup = (value: string, name: string, amounts: Amounts): SpendGroup => ({
  value,
  name,
  ...toAmounts(amounts),
});

/** Groups by amount, the largest first. Versions of a client count as one program. */
function listGroups(rows: readonly SpendRow[], by: SpendInput["by"]): SpendGroup[] {
  const groups = new Map<string, { name: string; amounts: Amounts }>();
  for (const row of rows) {
    const value = by === "client" ? (splitClient(row.value)[0] ?? "") : row.value;
    const known = groups.get(value);
    const name = by === "user" ? row.actorName : value === "" ? "No client" : value;
    groups.set(value, { name, amounts: addAmounts(known?.amounts ?? NOTHING, row) });
  }
  const sum = ({ amounts }: { amounts: Amounts }): number => amounts.tools + amounts.models;
  return [...groups]
    .sort(([, left], [, right]) => sum(right) - sum(left))
    .slice(0, MAX_GROUPS)
    .map(([value, { name, amounts }]) => toGroup(value, name, amounts));
}
