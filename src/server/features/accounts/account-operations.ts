import { z } from "zod";
import type { Principal } from "../../../lib/contract/access";
import {
  localRecordsSchema,
  passwordSchema,
  userNameSchema,
  userSchema,
  userSessionSchema,
} from "../../../lib/contract/account";
import { connectedClientSchema, consentRequestSchema } from "../../../lib/contract/connected-client-schema";
import { act, operations, read } from "../../platform/api/operation";

const byId = z.object({ id: z.string().min(1).max(100) });
const ofSelf = (_: unknown, __: unknown, ___: unknown, by: Principal) => ({ kind: "person", name: by.name });

const SIGN_OUT = "A stolen token could keep its owner signed out: Settings → Account ends sessions";
const RECORDS = "The first admin is asked once, in Settings → Account, whether the calls are theirs";

/** The operations on a user's own account. */
export const accountOperations = operations("account", {
  me: read({
    rest: "GET /account",
    summary: "Get your account; null where you have none: with TOOLROOM_API_TOKEN, and while accounts are off",
    allow: "read",
    output: userSchema.nullable(),
    run: ({ services, actor }) => services.account.me(actor),
  }),
  sessions: read({
    rest: "GET /account/sessions",
    summary: "List the browsers that you are signed in with",
    allow: "read",
    output: z.array(userSessionSchema),
    run: ({ services, actor, sessionId }) => services.account.sessions(actor, sessionId),
  }),
  rename: act({
    rest: "PATCH /account",
    summary: "Change your name",
    allow: "own",
    input: z.object({ name: userNameSchema }),
    audit: { target: ofSelf, state: ({ people }, _input, _result, by) => people.toState(by.id) },
    run: ({ services, actor }, input) => services.account.rename(actor, input.name),
  }),
  endSession: act({
    rest: null,
    unrouted: SIGN_OUT,
    summary: "Sign a browser out",
    allow: "own",
    refusesTokens: "A token cannot end sessions: sign in as a user",
    input: byId,
    audit: { target: ofSelf, after: (_, input) => ({ session: input.id }) },
    run: ({ services, actor }, input) => services.account.endSession(actor, input.id),
  }),
  endAllSessions: act({
    rest: null,
    unrouted: SIGN_OUT,
    summary: "Sign out of all browsers, this one too",
    allow: "own",
    refusesTokens: "A token cannot end sessions: sign in as a user",
    audit: { target: ofSelf },
    run: ({ services, actor }) => services.account.endAllSessions(actor),
  }),
  changePassword: act({
    rest: null,
    unrouted: "Who has a token and guesses the password would have the account: Settings → Account changes it",
    summary: "Change your password, which ends your other sessions",
    allow: "own",
    refusesTokens: "A token cannot change passwords: sign in as a user",
    input: z.object({
      current: z.string().min(1, "is required").max(1000),
      next: passwordSchema,
      revokeTokens: z.boolean().optional(),
    }),
    audit: { target: ofSelf },
    run: ({ services, actor, sessionId }, input) => services.account.changePassword(actor, sessionId, input),
  }),
  localRecords: read({
    rest: null,
    unrouted: RECORDS,
    summary: "Count the calls and runs from before accounts; null for everyone but the first admin",
    allow: "read",
    output: localRecordsSchema.nullable(),
    run: ({ services, actor }) => services.account.localRecords(actor),
  }),
  claimLocalRecords: act({
    rest: null,
    unrouted: RECORDS,
    summary: "Take over the calls and runs from before accounts",
    allow: "administer",
    output: z.object({ calls: z.number().int(), runs: z.number().int() }),
    audit: { target: ofSelf, after: (claimed) => claimed },
    run: ({ services, actor }) => services.account.claimLocalRecords(actor),
  }),
  clients: read({
    rest: "GET /account/clients",
    summary: "List the MCP clients that signed in through your browser and act in your name",
    allow: "read",
    output: z.array(connectedClientSchema),
    run: ({ services, actor }) => services.account.clients(actor),
  }),
  consentRequest: read({
    rest: null,
    unrouted: "It reads the address of the consent page, which a client opens in the user's browser",
    summary: "Read which client asks for consent; null for an address that no client made",
    allow: "read",
    input: z.object({ query: z.string().max(8000) }),
    output: consentRequestSchema.nullable(),
    run: ({ services, actor }, input) => services.account.consentRequest(actor, input.query),
  }),
  revokeClient: act({
    rest: "DELETE /account/clients/{id}",
    summary: "Disconnect an MCP client: its tokens end at once",
    allow: "own",
    input: byId,
    output: z.object({ name: z.string() }),
    audit: { target: (input, revoked) => ({ kind: "client", name: revoked?.name ?? input.id }) },
    run: ({ services, actor }, input) => services.account.revokeClient(actor, input.id),
  }),
});
