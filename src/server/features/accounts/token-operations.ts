import { z } from "zod";
import { type ApiToken, apiTokenInputSchema, apiTokenSchema } from "../../../lib/contract/account";
import { act, operations, read } from "../../platform/api/operation";

/** A token in the audit log. */
export function describeToken({ id, name, ownerName, scopes, tools, servers, toolsets, expiresAt }: ApiToken) {
  const limits = { tools, servers, ...(toolsets ? { toolsets } : {}) };
  return { id, name, owner: ownerName, scopes, ...limits, expiresAt };
}

/** `token list`, `create` and `revoke` are commands of their own: `create` writes to the database of the machine. */
export const tokenOperations = operations("tokens", {
  list: read({
    rest: "GET /tokens",
    summary: "List your API tokens; an admin gets everyone's",
    allow: "read",
    output: z.array(apiTokenSchema),
    pagedBy: (token: ApiToken) => token.id,
    run: ({ services, principal }) => services.tokens.list(principal),
  }),
  create: act({
    rest: "POST /tokens",
    summary: "Create an API token, whose text is shown once. A token cannot create tokens",
    allow: "own",
    refusesTokens: "A token cannot create tokens: sign in as a person",
    input: apiTokenInputSchema.strict(),
    output: z.object({ token: apiTokenSchema, text: z.string() }),
    status: 201,
    audit: {
      target: ({ name }) => ({ kind: "token", name }),
      after: ({ token }) => describeToken(token),
    },
    run: ({ services, principal }, input) => services.tokens.create(principal, input),
  }),
  revoke: act({
    rest: "DELETE /tokens/{id}",
    summary: "Revoke an API token",
    allow: "own",
    input: z.object({ id: z.string().min(1).max(100) }),
    audit: {
      target: async ({ id }, _, { tokens }, by) => ({ kind: "token", name: (await tokens.find(by, id))?.name ?? id }),
      async state({ tokens }, { id }, _, by) {
        const found = await tokens.find(by, id);
        return found === null ? null : describeToken(found);
      },
    },
    run: ({ services, principal }, { id }) => services.tokens.revoke(principal, id),
  }),
});
