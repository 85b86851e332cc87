import { z } from "zod";
import { type ApiToken, apiTokenInputSchema, apiTokenSchema } from "../../../lib/contract/account";
import { formatDate } from "../../../lib/format/relative-time";
import { act, operations, read } from "../../platform/api/operation";

/** A token in the audit log. */
export function describeToken({ id, name, ownerName, scopes, tools, servers, toolsets, expiresAt }: ApiToken) {
  const limits = { tools, servers, ...(toolsets ? { toolsets } : {}) };
  return { id, name, owner: ownerName, scopes, ...limits, expiresAt };
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const toDay = (at: number | null): string => (at === null ? "never" : formatDate(at, zone));

/** `token create` is a command of its own: it writes to the database of the machine. */
export const tokenOperations = operations(
  "tokens",
  {
    list: read({
      rest: "GET /tokens",
      summary: "List your API tokens; an admin gets everyone's",
      allow: "read",
      output: z.array(apiTokenSchema),
      pagedBy: (token: ApiToken) => token.id,
      run: ({ services, principal }) => services.tokens.list(principal),
      cli: {
        words: "list",
        examples: [
          ["toolroom token list", "as a table"],
          ["toolroom token list --json", "with their limits, as JSON"],
        ],
        table: {
          columns: {
            ID: (token) => token.id,
            NAME: ({ name }) => name,
            OWNER: ({ ownerName }) => ownerName,
            SCOPES: ({ scopes }) => scopes.join(" "),
            EXPIRES: ({ expiresAt }) => toDay(expiresAt),
            "LAST USED": ({ lastUsedAt }) => toDay(lastUsedAt),
          },
          empty: "No API tokens.",
          whole: true,
        },
      },
    }),
    create: act({
      rest: "POST /tokens",
      summary: "Create an API token, whose text is shown once. A token cannot create tokens",
      allow: "own",
      refusesTokens: "A token cannot create tokens: sign in as a user",
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
      cli: {
        words: "revoke <id>",
        summary: "Revoke an API token at once",
        examples: [
          ["toolroom token revoke token_5f0c…", "by the id of the list"],
          ["toolroom token revoke token_5f0c… --toolroom https://tools.example.com", "of another Toolroom"],
        ],
        say: (_, id) => `Revoked ${id}.`,
      },
    }),
  },
  {
    name: "token",
    summary: "List, create and revoke API tokens",
    description: "List, create and revoke API tokens, which programs need where people have accounts.",
    examples: ["toolroom token list", "toolroom token create ci --tool get_weather"],
  },
);
