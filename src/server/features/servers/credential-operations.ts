import { z } from "zod";
import { connectionStateSchema } from "../../../lib/contract/connection-state";
import {
  credentialHolderSchema,
  credentialInfoSchema,
  credentialValuesSchema,
  ownConnectionSchema,
  signInLinkSchema,
} from "../../../lib/contract/credential";
import { act, operations, read, restOnly } from "../../platform/api/operation";

const name = z.string().min(1).max(200);
const ofServer = z.object({ name });
const target = (input: z.output<typeof ofServer>) => ({ kind: "server", name: input.name });

/** Each user's own credentials: connecting leads to calls, and a user of any role can remove what they entered. */
export const credentialOperations = operations("credentials", {
  list: read({
    rest: "GET /credentials",
    summary: "List the servers that you have connected an account of your own to, without any value",
    allow: "read",
    output: z.array(credentialInfoSchema),
    run: ({ services, actor }) => services.credentials.list(actor),
  }),
  own: read({
    rest: "GET /servers/{name}/credentials",
    summary: "Get your own connection to a server with personal credentials; null for other servers",
    allow: "read",
    input: ofServer,
    output: ownConnectionSchema.nullable(),
    run: ({ services, actor }, input) => services.credentials.own(actor, input.name),
  }),
  holders: read({
    rest: "GET /servers/{name}/credentials/holders",
    summary: "List who has connected to a server with personal credentials, never what they entered",
    allow: "administer",
    input: ofServer,
    output: z.array(credentialHolderSchema),
    run: ({ services, actor }, input) => services.credentials.holders(actor, input.name),
  }),
  signInLink: read({
    rest: null,
    unrouted: "A page of the console reads it: a link is for a browser",
    summary: "Read the link of a call that waits until you have connected your account",
    allow: "read",
    input: z.object({ id: z.string().max(100) }),
    output: signInLinkSchema,
    run: ({ services, actor }, input) => services.credentials.signInLink(actor, input.id),
  }),
  save: act({
    rest: "PUT /servers/{name}/credentials",
    summary: "Store your own values for a server with personal credentials. One that is left out stays as it is",
    allow: "run",
    input: z.strictObject({ name, values: credentialValuesSchema }),
    // Names alone: the values are the user's own.
    audit: { target, after: (_, { values }) => ({ values: Object.keys(values) }) },
    run: ({ services, actor }, input) => services.credentials.save(actor, input.name, input.values),
  }),
  test: act({
    rest: "POST /servers/{name}/credentials/test",
    summary: "Connect to a server with what you have stored, and answer with the state of the connection",
    allow: "run",
    input: ofServer,
    output: connectionStateSchema,
    audit: { target },
    run: ({ services, actor }, input) => services.credentials.test(actor, input.name),
  }),
  remove: act({
    rest: "DELETE /servers/{name}/credentials",
    summary: "Delete your own credential for a server, and end the connection that uses it",
    allow: "own",
    input: ofServer,
    audit: { target },
    run: ({ services, actor }, input) => services.credentials.remove(actor, input.name),
  }),
  finishSignIn: restOnly(
    "The authorization server sends the browser to an address of its own, /oauth/callback",
    act({
      rest: null,
      unrouted: "It ends the sign-in of a browser that the console started",
      summary: "Store the account that you signed in with at a server",
      allow: "run",
      // The parameters hold the authorization code, so an entry has the page alone.
      input: z.object({ params: z.instanceof(URLSearchParams) }),
      output: z.object({ server: z.string(), path: z.string() }),
      audit: {
        target: (_, ended) => (ended === undefined ? null : { kind: "server", name: ended.server }),
        after: ({ path }) => ({ path }),
      },
      run: ({ services, actor }, { params }) => services.credentials.finishSignIn(actor, params),
    }),
  ),
});
