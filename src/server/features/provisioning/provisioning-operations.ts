import { z } from "zod";
import { groupRolesSchema, provisioningSchema } from "../../../lib/contract/provisioning";
import { act, operations, read } from "../../platform/api/operation";

const toTarget = () => ({ kind: "setting", name: "user provisioning" });

/** The connection of an identity provider that provisions users over SCIM. What gives access takes a user. */
export const provisioningOperations = operations("scim", {
  get: read({
    rest: "GET /provisioning",
    summary: "Get the state of user provisioning over SCIM, its groups, and the roles and toolsets that they give",
    allow: "administer",
    output: provisioningSchema,
    run: ({ services, actor }) => services.provisioningSettings.get(actor),
  }),
  createToken: act({
    rest: "POST /provisioning/token",
    summary: "Create the token of the identity provider, shown once; the earlier one ends. A token cannot create it",
    allow: "administer",
    refusesTokens: "A token cannot create the SCIM token: sign in as a user",
    output: z.object({ text: z.string() }),
    status: 201,
    audit: { target: toTarget, after: () => ({ token: "created" }) },
    run: ({ services, actor }) => services.provisioningSettings.createToken(actor),
  }),
  revokeToken: act({
    rest: "DELETE /provisioning/token",
    summary: "Revoke the token of the identity provider; the users that it provisioned stay",
    allow: "administer",
    audit: { target: toTarget, after: () => ({ token: "revoked" }) },
    run: ({ services, actor }) => services.provisioningSettings.revokeToken(actor),
  }),
  saveRoles: act({
    rest: "PUT /provisioning/roles",
    summary:
      "Replace the roles and toolsets that groups of the identity provider give; their members have them at once",
    allow: "administer",
    refusesTokens: "A token cannot give roles: sign in as a user",
    input: z.object({
      roles: groupRolesSchema,
      revision: z.coerce.number().int().min(0).describe("Of the roles that the edit began with: 409 for others"),
    }),
    body: "roles",
    output: provisioningSchema,
    audit: {
      target: toTarget,
      state: async ({ provisioningSettings }, _input, _result, by) => (await provisioningSettings.get(by)).roles,
    },
    run: ({ services, actor }, { roles, revision }) => services.provisioning.saveRoles(actor, roles, revision),
  }),
});
