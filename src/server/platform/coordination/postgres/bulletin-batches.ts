/** The content of a batch: short keys, since some accompany every call. */
export type Post =
  | { type: "post"; topic: string; body: unknown; askId: number | null }
  | { type: "answer"; askId: number; to: string; value: unknown }
  /** The writer had to leave something out. */
  | { type: "gap" };

interface Stored {
  t?: string;
  b?: unknown;
  a?: number;
  r?: number;
  to?: string;
  v?: unknown;
}

export const GAP = "{}";

export function encodePost(topic: string, body: unknown, askId?: number): string {
  const ask = askId === undefined ? "" : `,"a":${askId}`;
  return `{"t":${JSON.stringify(topic)}${ask},"b":${JSON.stringify(body) ?? "null"}}`;
}

export const encodeAnswer = (askId: number, to: string, value: unknown): string =>
  JSON.stringify({ r: askId, to, v: value });

export function parsePosts(text: string): Post[] {
  return (JSON.parse(text) as Stored[]).map(({ t, b, a, r, to, v }) => {
    if (t !== undefined) return { type: "post", topic: t, body: b, askId: a ?? null };
    if (r !== undefined && to !== undefined) return { type: "answer", askId: r, to, value: v };
    return { type: "gap" };
  });
}

/** The number of batches in one read. */
export const READ_ROWS = 200;
/** An instance that is behind for longer is lost. */
const KEPT = "10 minutes";

/** Instances that may have said something that is not read yet. */
const SPEAKS = `(c."endedAt" IS NULL OR c."endedAt" > clock_timestamp() - interval '${KEPT}')`;

export const WRITE = `WITH written AS (
  INSERT INTO "Bulletin" ("copyId", "number", "posts")
  SELECT "id", $2, $3 FROM "Copy" WHERE "id" = $1 AND "endedAt" IS NULL
  ON CONFLICT DO NOTHING RETURNING "number"
)
SELECT "id" FROM "Copy" WHERE "endedAt" IS NULL`;

export const LEAVE = `WITH gone AS (
  UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1 AND "endedAt" IS NULL RETURNING "id"
)
INSERT INTO "Bulletin" ("copyId", "number", "posts") SELECT "id", $2, $3 FROM gone`;

export const READ = `SELECT c."id" AS "copyId", b."number", b."posts",
  extract(epoch FROM clock_timestamp() - b."at") * 1000 AS "ageMs"
FROM "Copy" c LEFT JOIN json_to_recordset($1::json) AS place("id" text, "number" bigint) ON place."id" = c."id"
CROSS JOIN LATERAL (
  SELECT "number", "posts", "at" FROM "Bulletin"
  WHERE "copyId" = c."id" AND "number" > coalesce(place."number", 0) ORDER BY "number" LIMIT ${READ_ROWS}
) b WHERE c."id" <> $2 AND ${SPEAKS} ORDER BY c."id", b."number"`;

export const PRUNE = `DELETE FROM "Bulletin" WHERE ("copyId", "number") IN (
  SELECT c."id", b."number" FROM "Copy" c CROSS JOIN LATERAL (
    SELECT "number", "at" FROM "Bulletin" WHERE "copyId" = c."id" ORDER BY "number" LIMIT 5000
  ) b WHERE b."at" < clock_timestamp() - interval '${KEPT}'
)`;

/** The last number of each instance. */
export const PLACES = `SELECT c."id" AS "copyId",
  coalesce((SELECT max("number") FROM "Bulletin" WHERE "copyId" = c."id"), 0) AS "number"
FROM "Copy" c WHERE ${SPEAKS}`;

export const SPEAKING = `SELECT c."id" FROM "Copy" c WHERE ${SPEAKS}`;
