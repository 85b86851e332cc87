import { z } from "zod";
import { SCOPES } from "./access";
import { MCP_SCOPES, type McpScope } from "./connected-client";

/** A program that a user allowed to use `/mcp` in the user's name. Times are epoch milliseconds. */
export const connectedClientSchema = z.object({
  id: z.string(),
  name: z.string().describe("Chosen by the program, untrusted"),
  hosts: z
    .array(z.string())
    .describe(
      "Where the program receives its sign-in, such as `claude.ai`, `localhost` or `cursor://anysphere.cursor-mcp`",
    ),
  scopes: z.array(z.enum(SCOPES)),
  connectedAt: z.number(),
  lastSeenAt: z.number().describe("When it last got a token, which it does every ten minutes while it is used"),
});
export type ConnectedClient = z.infer<typeof connectedClientSchema>;

/** The facts that the consent page shows of the requesting program. */
export const consentRequestSchema = z.object({
  clientName: z.string(),
  /** The address of the program's description, whose host vouches for the name; null for a program that registered itself. */
  document: z.string().nullable(),
  /** The host and port that receive the sign-in. */
  host: z.string(),
  /** The address is on this machine, where any program can receive the sign-in. */
  loopback: z.boolean(),
  /** The scheme by which a program of the user's machine receives the sign-in, such as `cursor:`; null for http and https. */
  scheme: z.string().nullable(),
  /** The whole address, as the program registered it. */
  redirect: z.string(),
  scopes: z.array(z.enum(Object.keys(MCP_SCOPES) as [McpScope, ...McpScope[]])),
  /** The server that the token is for; null for all. */
  server: z.string().nullable(),
  /** The user's earlier consent, and which parts of this request it does not cover; null for none. */
  before: z
    .object({
      allowedAt: z.number(),
      changed: z.object({ scopes: z.boolean(), tools: z.boolean(), address: z.boolean() }),
    })
    .nullable(),
});
export type ConsentRequest = z.infer<typeof consentRequestSchema>;
