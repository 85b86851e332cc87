import { z } from "zod";
import { connectionStateSchema } from "./connection-state";
import { namedCursorSchema } from "./list-cursor";
import { serverSummarySchema } from "./server";
import { MAX_FILTER_CHARS } from "./tool-filter";

/** Most servers of a page of the list. */
const MAX_LISTED_SERVERS = 100;

const serverFilterSchema = z
  .strictObject({
    q: z.string().max(MAX_FILTER_CHARS).describe("Words in name, title, target or what the server calls itself"),
    state: connectionStateSchema.shape.status,
    transport: serverSummarySchema.shape.transport,
    attention: z.literal(true).describe("Servers whose tools cannot be called"),
  })
  .partial();
export type ServerFilter = z.infer<typeof serverFilterSchema>;

const limit = z.number().int().min(1).max(MAX_LISTED_SERVERS);

export const serverListInputSchema = z.object({
  filter: serverFilterSchema.default({}),
  cursor: namedCursorSchema,
  limit: limit.default(MAX_LISTED_SERVERS),
  first: limit.optional().describe("The size of the first page; default: `limit`"),
});

/** A server that a search finds, as the command palette shows it. */
export const suggestedServerSchema = serverSummarySchema
  .pick({ name: true, title: true, transport: true, target: true })
  .extend({ status: connectionStateSchema.shape.status });
export type SuggestedServer = z.infer<typeof suggestedServerSchema>;

const count = z.number().int();

/** One page of the servers as lists show them, by name. */
export const serverPageSchema = z.object({
  items: z.array(serverSummarySchema),
  nextCursor: z.string().nullable(),
  matching: count.describe("The servers that the filter selects"),
  total: count.describe("All servers"),
  attention: count.describe("All servers whose tools cannot be called"),
  changed: z.boolean().describe("Whether changed tools or skills of any server wait for a review"),
});
export type ServerPage = z.infer<typeof serverPageSchema>;

const changedServerSchema = serverSummarySchema.pick({
  name: true,
  lastChange: true,
  heldCount: true,
  heldSkillCount: true,
  appliedCount: true,
});

/** The facts about servers for Overview. */
export const serverOverviewSchema = z.object({
  attention: z.object({
    items: z.array(serverSummarySchema.pick({ name: true, state: true })).describe("The first of them by name"),
    count: count.describe("All servers whose tools cannot be called"),
  }),
  changed: z.array(changedServerSchema).describe("Undecided changes first, then the newest"),
  sample: serverSummarySchema
    .pick({ name: true, toolCount: true, state: true })
    .nullable()
    .describe("A server that has listed its tools, or the first one; null without servers"),
});
export type ServerOverview = z.infer<typeof serverOverviewSchema>;
