import { z } from "zod";
import { apiTokenInputSchema, apiTokenSchema, roleSchema } from "../../../lib/contract/account";
import {
  type ServiceAccount,
  serviceAccountChangeSchema,
  serviceAccountInputSchema,
  serviceAccountSchema,
} from "../../../lib/contract/service-account";
import { act, operations, read } from "../../platform/api/operation";
import type { ApiContext } from "../../platform/api/route";
import { describeToken } from "./token-operations";

const id = z.string().min(1).max(100);
const byId = z.object({ id });
type ById = z.output<typeof byId>;
type Services = ApiContext["services"];

const ofAccount = async (input: ById, _: unknown, { serviceAccounts }: Services) => ({
  kind: "service account",
  name: await serviceAccounts.describe(input.id),
});
const toState = ({ serviceAccounts }: Services, input: ById) => serviceAccounts.toState(input.id);
const find = { list: "/service-accounts", kind: "service account" };

/** A token manages them and takes access away; new tokens and other roles take a user, since both would outlive the token. */
export const serviceAccountOperations = operations(
  "serviceAccounts",
  {
    list: read({
      rest: "GET /service-accounts",
      summary: "List service accounts: users that are programs",
      allow: "administer",
      output: z.array(serviceAccountSchema),
      pagedBy: ({ id }: ServiceAccount) => id,
      run: ({ services, actor }) => services.serviceAccounts.list(actor),
      cli: {
        words: "list",
        examples: [
          ["toolroom service-account list", "as a table"],
          ["toolroom service-account list --json", "with their descriptions, as JSON"],
        ],
        table: {
          columns: {
            ID: (account) => account.id,
            NAME: ({ name }) => name,
            ROLE: ({ role }) => role,
            OWNER: ({ owner }) => owner?.name ?? { text: "none", color: "yellow" },
            TOKENS: ({ tokens }) => String(tokens),
            STATUS: ({ disabledAt }) => (disabledAt === null ? "active" : "switched off"),
          },
          empty: "No service accounts.",
          whole: true,
        },
      },
    }),
    get: read({
      rest: "GET /service-accounts/{id}",
      summary: "Get a service account",
      allow: "administer",
      input: byId,
      output: serviceAccountSchema,
      run: ({ services, actor }, input) => services.serviceAccounts.get(actor, input.id),
    }),
    create: act({
      rest: "POST /service-accounts",
      summary: "Create a service account, which acts by API tokens of its own, never signs in and approves nothing",
      allow: "administer",
      input: serviceAccountInputSchema.strict(),
      output: serviceAccountSchema,
      status: 201,
      audit: {
        target: ({ name }) => ({ kind: "service account", name }),
        after: ({ name, about, role, owner }) => ({ name, about, role, owner: owner?.name ?? null }),
      },
      run: ({ services, actor }, input) => services.serviceAccounts.create(actor, input),
    }),
    update: act({
      rest: "PATCH /service-accounts/{id}",
      summary:
        "Change the name, description or owner of a service account, switch it off, which revokes its tokens, or on",
      allow: "administer",
      input: byId.extend(serviceAccountChangeSchema.shape),
      output: serviceAccountSchema,
      audit: { target: ofAccount, state: toState },
      run: ({ services, actor }, { id: account, ...change }) => services.serviceAccounts.update(actor, account, change),
    }),
    setRole: act({
      rest: "PUT /service-accounts/{id}/role",
      summary: "Give a service account another role, which its tokens have at once",
      allow: "administer",
      refusesTokens: "A token cannot give roles: sign in as a user",
      input: byId.extend({ role: roleSchema }),
      audit: { target: ofAccount, state: toState },
      run: ({ services, actor }, input) => services.serviceAccounts.setRole(actor, input.id, input.role),
    }),
    delete: act({
      rest: "DELETE /service-accounts/{id}",
      summary: "Delete a service account with its tokens",
      allow: "administer",
      input: byId,
      audit: { target: ofAccount, state: toState },
      run: ({ services, actor }, input) => services.serviceAccounts.remove(actor, input.id),
      cli: {
        words: "delete <account>",
        fields: { account: "id" },
        summary: "Delete a service account; its tokens end at once",
        examples: [
          ["toolroom service-account delete 'CI deploy'", "by its name"],
          ["toolroom service-account delete service_5f0c…", "by the id of the list"],
        ],
        find,
        say: (_, name) => `Deleted ${name}.`,
      },
    }),
    createToken: act({
      rest: "POST /service-accounts/{id}/tokens",
      summary: "Create an API token of a service account, whose text is shown once. A token cannot create tokens",
      allow: "administer",
      refusesTokens: "A token cannot create tokens: sign in as a user",
      input: byId.extend(apiTokenInputSchema.shape),
      output: z.object({ token: apiTokenSchema, text: z.string() }),
      status: 201,
      audit: {
        target: ({ name }) => ({ kind: "token", name }),
        after: ({ token }) => describeToken(token),
      },
      run: ({ services, principal }, { id: account, ...input }) =>
        services.serviceAccounts.createToken(principal, account, input),
    }),
  },
  {
    name: "service-account",
    summary: "List and delete service accounts",
    description: "List and delete service accounts: users that are programs, with tokens, a role and an owner.",
    examples: ["toolroom service-account list", "toolroom service-account delete 'CI deploy'"],
  },
);
