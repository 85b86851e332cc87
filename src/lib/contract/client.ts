import { z } from "zod";
import { CHANGE_WEIGHTS } from "./change-weight";
import { CLIENT_TRANSPORTS } from "./client-transport";
import { clientVerdictSchema } from "./client-verdict-schema";

/** Why a tool is missing in the list of a client. */
export const leftOutReasonSchema = z.enum([
  "disabled",
  "held",
  "unusable",
  "not_connected",
  "limit",
  "role",
  "credentials",
]);
export type LeftOutReason = z.infer<typeof leftOutReasonSchema>;

/** A tool, or all tools of a server that are not known yet, that a list did not have. */
export const leftOutSchema = z.object({
  /** The catalog's name of a tool; the name of a server where its tools are not known. */
  name: z.string(),
  kind: z.enum(["tool", "server"]),
  reason: leftOutReasonSchema,
  detail: z.string(),
});
export type LeftOut = z.infer<typeof leftOutSchema>;

export const servedToolSchema = z.object({
  /** The name that the client received. */
  name: z.string(),
  /** The tool's name in the catalog. */
  tool: z.string(),
  /** A hash of the whole entry, with description and schema. */
  hash: z.string(),
});
export type ServedTool = z.infer<typeof servedToolSchema>;

const servedListSchema = z.object({
  hash: z.string(),
  tools: z.array(servedToolSchema),
  leftOut: z.array(leftOutSchema),
  /** The number of left-out tools, which may exceed the number of names. */
  leftOutCount: z.number().int(),
});

/** A list, with the number of times that a session received it. */
export const listingSchema = z.object({
  hash: z.string(),
  tools: z.number().int(),
  firstAt: z.number(),
  lastAt: z.number(),
  count: z.number().int(),
});
export type Listing = z.infer<typeof listingSchema>;

const lastCallSchema = z.object({
  /** The id of the execution, which may be deleted by now. */
  id: z.string(),
  tool: z.string(),
  at: z.number(),
});

export const clientSessionSchema = z.object({
  id: z.string(),
  version: z.string(),
  /** `stateless`: all requests of the program at this address with this token. */
  era: z.enum(["session", "stateless"]),
  protocol: z.string(),
  /** The path, such as `/mcp/sets/support?tools=a,b`. */
  address: z.string(),
  transport: z.enum(CLIENT_TRANSPORTS),
  calls: z.number().int(),
  lastCall: lastCallSchema.nullable(),
  startedAt: z.number(),
  seenAt: z.number(),
  endedAt: z.number().nullable(),
  /** When `list_changed` was sent last, and how often. */
  noticedAt: z.number().nullable(),
  notices: z.number().int(),
  /** The time of the last list; null without one. */
  listedAt: z.number().nullable(),
  /** Newest first. */
  listings: z.array(listingSchema),
});
export type ClientSession = z.infer<typeof clientSessionSchema>;

/** The sessions of a client at one address over one transport. */
export const clientUseSchema = z.object({
  transport: z.enum(CLIENT_TRANSPORTS),
  address: z.string(),
  seenAt: z.number(),
  calls: z.number().int(),
  /** Its newest call of a tool there; null before the first. */
  lastCall: lastCallSchema.nullable(),
});
export type ClientUse = z.infer<typeof clientUseSchema>;

/** One program of one user with one token. */
export const clientSummarySchema = z.object({
  id: z.string(),
  /** Chosen by the program, untrusted. */
  name: z.string(),
  version: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  token: z.object({ id: z.string(), name: z.string() }).nullable(),
  addresses: z.array(z.string()),
  uses: z.array(clientUseSchema).describe("Its transports and addresses, the one seen last first"),
  calls: z.number().int(),
  lastCall: lastCallSchema.nullable(),
  sessions: z.number().int(),
  seenAt: z.number(),
  listedAt: z.number().nullable(),
  /** The number of tools of its last list. */
  tools: z.number().int().nullable(),
});
export type ClientSummary = z.infer<typeof clientSummarySchema>;

/** The changes since a client fetched its list. */
export const listChangesSchema = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});
export type ListChanges = z.infer<typeof listChangesSchema>;

/** A list that a client received, with the whole entries. */
export const clientListSchema = z.object({
  hash: z.string(),
  /** The times of all sessions together. */
  firstAt: z.number(),
  lastAt: z.number(),
  count: z.number().int(),
  addresses: z.array(z.string()),
  tools: z.array(
    servedToolSchema.extend({
      /**
       * The entry that the client received, without `execution`, which the revision 2025-11-25 adds to each tool; null
       * where it was too long to keep, or belongs to a list of an earlier version of Toolroom.
       */
      entry: z.json().nullable(),
    }),
  ),
  leftOut: z.array(leftOutSchema),
  leftOutCount: z.number().int(),
});
export type ClientList = z.infer<typeof clientListSchema>;

/** A list that a client received in a period. */
export const clientListSummarySchema = listingSchema.extend({
  sessionId: z.string(),
  address: z.string(),
});
export type ClientListSummary = z.infer<typeof clientListSummarySchema>;

/** The difference between two lists that a client received. */
export const listComparisonSchema = z.object({
  from: z.string(),
  to: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(CHANGE_WEIGHTS).nullable().describe("Null where an entry was not kept"),
      details: z.array(z.string()),
      before: z.json().nullable(),
      after: z.json().nullable(),
    }),
  ),
});
export type ListComparison = z.infer<typeof listComparisonSchema>;

export const clientDetailSchema = clientSummarySchema.extend({
  items: z.array(clientSessionSchema).describe("Its sessions, the newest first"),
  lastList: servedListSchema.nullable().describe("The list of the session that fetched one last"),
  lastSessionId: z.string().nullable(),
  /** Null where the client never fetched a list, or where the current list is not known. */
  changes: listChangesSchema.nullable(),
  /** Why every call is refused, or every request; null while it may do both. */
  barrier: z.string().nullable(),
});
export type ClientDetail = z.infer<typeof clientDetailSchema>;

/** The program's treatment of the list that it received last. */
export const clientFitSchema = z.object({
  listedAt: z.number().nullable(),
  /** Null where it fetched no list, and for a program without known rules. */
  verdict: clientVerdictSchema.nullable(),
});
export type ClientFit = z.infer<typeof clientFitSchema>;

export const toolAnswerSchema = z.object({
  /** The catalog's name where there is such a tool, else the requested name. */
  tool: z.string(),
  /**
   * `listed`: the client was given it. `fetch`: it came later, and the client has not fetched the list since. `client`: it was
   * given it, and by its own rules does not use it. `unknown`: no tool has the name.
   */
  verdict: z.enum(["listed", "fetch", "client", "unknown", ...leftOutReasonSchema.options]),
  answer: z.string(),
  /** The next step for the user; empty where there is none. */
  wayOut: z.string(),
  /** A page of the console where it can be done. */
  link: z.string().nullable(),
  /** Names similar to the requested one. */
  nearest: z.array(z.string()),
});
export type ToolAnswer = z.infer<typeof toolAnswerSchema>;
