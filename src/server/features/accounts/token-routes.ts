import { z } from "zod";
import { apiTokenInputSchema, apiTokenSchema } from "../../../lib/contract/account";
import { defineRoute } from "../../platform/api/route";
import { describePage, namedPageQuery, takePage } from "../../platform/api/route-inputs";

const listTokens = defineRoute({
  method: "GET",
  path: "/tokens",
  permission: "read",
  query: namedPageQuery,
  summary: "List your API tokens; an admin gets everyone's",
  response: describePage(apiTokenSchema),
  answer: async ({ services, actor }, { query }) => takePage(await services.tokens.list(actor), ({ id }) => id, query),
});

const createToken = defineRoute({
  method: "POST",
  path: "/tokens",
  permission: "own",
  status: 201,
  body: apiTokenInputSchema.strict(),
  summary: "Create an API token, whose text is shown once. A token cannot create tokens",
  response: z.object({ token: apiTokenSchema, text: z.string() }),
  answer: ({ services, actor }, { body }) => services.tokens.create(actor, body),
});

const revokeToken = defineRoute({
  method: "DELETE",
  path: "/tokens/{id}",
  permission: "own",
  summary: "Revoke an API token",
  async answer({ services, actor }, { param }) {
    await services.tokens.revoke(actor, param("id"));
    return undefined;
  },
});

export const TOKEN_ROUTES = [listTokens, createToken, revokeToken];
