const KEY = `"day", "kind", "actorId", "client", "name"`;
const DAY_MS = 86_400_000;
const ADDED_TO_ROW = `ON CONFLICT (${KEY}) DO UPDATE SET "actorName" = excluded."actorName", "calls" = s."calls" + excluded."calls",
     "micros" = s."micros" + excluded."micros"`;

/** Adds what costs rows of `Spend` say, in one order of keys, so that two instances of the server do not wait for each other. */
const addRows = (select: string): string =>
  `INSERT INTO "Spend" AS s (${KEY}, "actorName", "calls", "micros") ${select} ${ADDED_TO_ROW}`;

/** The columns of a call for its spend. */
export const COST_COLUMNS = ["queuedAt", "actorId", "actorName", "client", "toolName", "cost"] as const;

/** Adds the costs of some calls to the days on which they were made. @param from a table of `COST_COLUMNS` and `calls`: 1, or -1 to take away */
export const addCosts = (from: string): string =>
  addRows(`SELECT "queuedAt" / ${DAY_MS}, 'tool', "actorId", coalesce("client", ''), "toolName", max("actorName"), sum("calls"), sum("cost")
   FROM ${from} WHERE "cost" IS NOT NULL GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5`);

const fromCall = (calls: string, cost: string): string =>
  `(SELECT "queuedAt", "actorId", "actorName", "client", "toolName", ${calls} AS "calls", ${cost} AS "cost" FROM "Execution" WHERE "seq" = ?) AS e`;

/** Adds the cost of the call with a number, once that is stored. */
export const ADD_COST_SQL = addCosts(fromCall("1", '"cost"'));
/** Subtracts the stored cost before another one is stored. */
export const REMOVE_COST_SQL = addCosts(fromCall("-1", '-"cost"'));

/**
 * Adds what runs cost more than their rows say, before the rows are changed: a second write of the same sums adds nothing.
 * @param sums a table of `RunCost` @param isOwn which runs are written
 */
export const addRunCosts = (sums: string, toMicros: (cost: string) => string, isOwn: string): string => {
  const more = `${toMicros('v."cost"')} - ${toMicros('coalesce(r."cost", 0)')}`;
  return addRows(`SELECT v."day", 'model', r."actorId", '', v."provider" || '/' || v."model", max(r."actorName"), sum(v."calls"), sum(${more})
   FROM ${sums} JOIN "Run" r ON r."id" = v."runId" WHERE v."cost" IS NOT NULL AND ${more} <> 0 AND ${isOwn}
   GROUP BY 1, 3, 5 ORDER BY 1, 3, 5`);
};

/** Adds one response of a model: its day, user, model, the user's name and the cost in millionths of a dollar. */
export const ADD_MODEL_CALL_SQL = `INSERT INTO "Spend" AS s ("day", "kind", "actorId", "client", "name", "actorName", "calls", "micros")
   VALUES (?, 'model', ?, '', ?, ?, 1, ?) ${ADDED_TO_ROW}`;

/** The sums of a run that are about to be stored. */
export interface RunCost {
  runId: string;
  provider: string;
  model: string;
  cost: number | null;
  /** The day on which the cost is spent. */
  day: number;
  /** The model's calls whose usage is known. */
  calls: number;
}

export const toDay = (at: number): number => Math.floor(at / DAY_MS);
