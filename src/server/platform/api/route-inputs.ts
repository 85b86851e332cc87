import { z } from "zod";
import type { executionCursorSchema } from "../../../lib/contract/execution";
import { MAX_ROW_NUMBER } from "../../../lib/contract/row-number";
import { isTimeZone } from "../../../lib/format/time-zone";

/** The input of a route without query or body. */
export const NO_FIELDS = z.strictObject({});

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A time in a query: epoch milliseconds, or ISO 8601 with its offset. */
export const timeSchema = z
  .string()
  .max(40)
  .transform((text, context) => {
    // A plus sign that was not encoded arrives as a space.
    const time = text.trim().replace(" ", "+");
    const at = /^\d{1,15}$/.test(time) ? Number(time) : ISO_TIME.test(time) ? Date.parse(time) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    context.addIssue("must be epoch milliseconds, or ISO 8601 with an offset such as 2026-12-24T08:00:00Z");
    return z.NEVER;
  })
  .describe("Epoch milliseconds, or ISO 8601 with an offset: `2026-12-24T08:00:00Z`. Inclusive");

/** A whole number in a query, which is text. */
export function numberInQuery(least: number, most: number) {
  const message = `must be an integer from ${least} to ${most}`;
  return z.preprocess(
    (text) => (typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z.number(message).int(message).min(least, message).max(most, message),
  );
}

const limitSchema = numberInQuery(1, 200).default(50).describe("Entries of a page: 1 to 200, default 50");

export const timeZoneSchema = z.string().max(64).refine(isTimeZone, "must be a time zone such as Europe/Berlin");

/** True or false in a query, which is text. */
export const flagSchema = z.preprocess(
  (text) => (text === "true" ? true : text === "false" ? false : text),
  z.boolean("must be true or false"),
);

/** The cursor of a list that is read by sequence number. */
const cursorSchema = z
  .string()
  .regex(/^\d{1,15}$/, "must be the `nextCursor` of the page before")
  .transform(Number)
  .refine((seq) => seq <= MAX_ROW_NUMBER, "must be the `nextCursor` of the page before")
  .optional()
  .describe("`nextCursor` of the page before");

/** The cursor of a list that is sorted by name: the last name of the page before. */
const nameCursorSchema = z.string().max(300).optional().describe("`nextCursor` of the page before");

export const namedPageQuery = z.object({ cursor: nameCursorSchema, limit: limitSchema });
export const pageQuery = z.object({ cursor: cursorSchema, limit: limitSchema });

/** The schema of one page of a list. */
export function describePage<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null at the end"),
  });
}

/** A page of a list in memory, sorted by name, so that entries which come and go repeat and hide no others. */
export function takePage<Item>(
  items: readonly Item[],
  getName: (item: Item) => string,
  { cursor, limit }: z.output<typeof namedPageQuery>,
): { items: Item[]; nextCursor: string | null } {
  const named = items.map((item) => ({ item, name: getName(item) })).sort((a, b) => compareNames(a.name, b.name));
  const rest = cursor === undefined ? named : named.filter(({ name }) => compareNames(name, cursor) > 0);
  const shown = rest.slice(0, limit);
  return {
    items: shown.map(({ item }) => item),
    nextCursor: rest.length > limit ? (shown.at(-1)?.name ?? null) : null,
  };
}

function compareNames(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A page of a store, whose cursor is a number. */
export function toPage<Item>({
  items,
  nextCursor,
}: {
  items: Item[];
  nextCursor: z.infer<typeof executionCursorSchema> | null;
}): { items: Item[]; nextCursor: string | null } {
  const cursor = typeof nextCursor === "object" ? (nextCursor?.seq ?? null) : nextCursor;
  return { items, nextCursor: cursor === null ? null : String(cursor) };
}

/** The JSON arguments of a tool. Any value is valid, since it was read from JSON text. */
export const argumentsSchema = z.record(z.string(), z.unknown()).default({});
export const waitSchema = z
  .number()
  .int()
  .min(0)
  .max(60_000)
  .optional()
  .describe("Milliseconds that the response may wait for the result; default 10000");

export const executionIdSchema = z
  .string()
  .regex(/^exec_[A-Za-z0-9]{8,40}$/, "must be an execution id such as exec_7hJ2…");
