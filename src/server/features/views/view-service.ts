import { hasRole, type Principal } from "../../../lib/contract/access";
import type { ExecutionFilter } from "../../../lib/contract/execution";
import { readViewQuery, type SavedView, type SavedViewInput } from "../../../lib/contract/saved-view";
import { toViewQuery, type ViewRange } from "../../../lib/contract/view-query";
import { listDayStarts } from "../../../lib/format/time-zone";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import type { ViewStore } from "./view-store";

interface ViewPorts {
  store: ViewStore;
  newId: () => string;
  now: () => number;
  onChange: () => void;
}

export type ViewService = ReturnType<typeof createViewService>;

const MAX_VIEWS = 200;
const HOUR_MS = 3_600_000;
const RANGE_MS = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS, "30d": 720 * HOUR_MS };

/** Filters of Executions under a name: everyone opens them, who saved one changes and deletes it, and so do admins. */
export function createViewService({ store, newId, now, onChange }: ViewPorts) {
  async function find(id: string): Promise<SavedView> {
    const view = await store.find(id);
    if (view === null) throw new AppError("NOT_FOUND", `View '${id}' not found`);
    return view;
  }

  async function findOwn(by: Principal, id: string): Promise<SavedView> {
    const view = await find(id);
    if (view.owner.id === by.id || hasRole(by.role, "admin")) return view;
    throw new AppError(
      "DENIED",
      `Only ${view.owner.name} and admins can change the view '${view.name}': save one of your own`,
    );
  }

  const rejectTaken = (name: string): never => {
    throw new AppError("CONFLICT", `name: there is a view called '${name}' already`, [
      { path: "name", message: "is the name of another view" },
    ]);
  };

  return {
    list: (): Promise<SavedView[]> => store.list(),

    async create(by: Principal, { name, query }: SavedViewInput): Promise<SavedView> {
      if ((await store.list()).length >= MAX_VIEWS) {
        throw new AppError("CONFLICT", `There are ${MAX_VIEWS} views, the most: delete one first`);
      }
      const at = now();
      const owner = { id: by.id, name: by.name };
      const view = {
        id: newId(),
        name,
        query: checkQuery(query),
        owner,
        createdAt: at,
        updatedAt: at,
        updatedBy: by.name,
      };
      if (!(await store.create(view))) rejectTaken(name);
      onChange();
      return view;
    },

    async update(by: Principal, id: string, { name, query }: SavedViewInput): Promise<SavedView> {
      await findOwn(by, id);
      const change = { name, query: checkQuery(query), updatedAt: now(), updatedBy: by.name };
      if ((await store.update(id, change)) === "taken") rejectTaken(name);
      onChange();
      return await find(id);
    },

    async delete(by: Principal, id: string): Promise<void> {
      await findOwn(by, id);
      await store.delete(id);
      onChange();
    },

    /**
     * Returns the filter of a view at this moment.
     * @param named its id or name
     * @param zone of the days "today" and "yesterday"
     */
    async readFilter(named: string, zone: string): Promise<ExecutionFilter> {
      const views = await store.list();
      const view =
        views.find(({ id }) => id === named) ?? views.find(({ name }) => name.toLowerCase() === named.toLowerCase());
      if (view === undefined) throw new AppError("NOT_FOUND", `View '${named}' not found`);
      const read = readViewQuery(view.query);
      if (read === null)
        throw new AppError(
          "CONFLICT",
          `The view '${view.name}' has a filter that is not known any more: save it again`,
        );
      return { ...read.filter, ...toTime(read.range, now(), zone) };
    },
  };
}

function toTime(range: ViewRange | null, now: number, zone: string): Pick<ExecutionFilter, "since" | "until"> {
  if (range === null) return {};
  if (range !== "today" && range !== "yesterday") return { since: now - RANGE_MS[range] };
  const [yesterday = 0, today = 0] = listDayStarts(now, 2, zone).map(({ start }) => start);
  return range === "today" ? { since: today } : { since: yesterday, until: today - 1 };
}

/** @throws AppError INVALID for filters that the list does not have */
function checkQuery(query: string): string {
  const kept = toViewQuery(query);
  if (readViewQuery(kept) !== null) return kept;
  throw invalidInput("", [{ path: "query", message: "has a filter with a value that Executions does not know" }], " ");
}
