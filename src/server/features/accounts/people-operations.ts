import { z } from "zod";
import { invitationSchema, openLinkSchema, roleSchema, userSchema } from "../../../lib/contract/account";
import { actorSchema } from "../../../lib/contract/actor-schema";
import { act, operations, read } from "../../platform/api/operation";
import type { ApiContext } from "../../platform/api/route";

const id = z.string().min(1).max(100);
const byId = z.object({ id });
type ById = z.output<typeof byId>;
type Services = ApiContext["services"];

const ofUser = async (input: ById, _: unknown, { people }: Services) => ({
  kind: "person",
  name: await people.describe(input.id),
});
const toState = ({ people }: Services, input: ById) => people.toState(input.id);

const LINKS = "Anyone with the link can sign in, also after the token has expired. Create it under Settings → People";

/**
 * A token can list users and revoke access; operations that give access need a signed-in user, since their effect would
 * outlive the token.
 */
export const peopleOperations = operations("people", {
  list: read({
    rest: "GET /people",
    summary: "List the people of this server",
    allow: "administer",
    output: z.array(userSchema),
    run: ({ services, actor }) => services.people.list(actor),
  }),
  directory: read({
    rest: "GET /people/directory",
    summary: "List the names of people with an active account, who can be owners of tools",
    allow: "edit",
    output: z.array(actorSchema),
    run: ({ services, actor }) => services.people.directory(actor),
  }),
  invitations: read({
    rest: "GET /people/invitations",
    summary: "List the invitations that are open, without their links",
    allow: "administer",
    output: z.array(openLinkSchema),
    run: ({ services, actor }) => services.people.invitations(actor),
  }),
  invite: act({
    rest: null,
    unrouted: LINKS,
    summary: "Create a link with which a user joins, shown once",
    allow: "administer",
    refusesTokens: "A token cannot invite people: sign in as a user",
    input: invitationSchema,
    output: z.string(),
    audit: { target: ({ email }) => ({ kind: "invitation", name: email ?? "anyone" }), after: (_, input) => input },
    run: ({ services, actor }, input) => services.people.invite(actor, input),
  }),
  revokeInvitation: act({
    rest: "DELETE /people/invitations/{id}",
    summary: "Withdraw an invitation",
    allow: "administer",
    input: byId,
    audit: {
      target: (input) => ({ kind: "invitation", name: input.id }),
      state: ({ people }, input) => people.toInvitationState(input.id),
    },
    run: ({ services, actor }, input) => services.people.revokeInvitation(actor, input.id),
  }),
  createReset: act({
    rest: null,
    unrouted: LINKS,
    summary: "Create a link with which a user sets a new password, shown once",
    allow: "administer",
    refusesTokens: "A token cannot create reset links: sign in as a user",
    input: byId,
    output: z.string(),
    audit: { target: ofUser },
    run: ({ services, actor }, input) => services.people.createReset(actor, input.id),
  }),
  setRole: act({
    rest: null,
    unrouted: "A token could give an account rights that outlive it: Settings → People and single sign-on give roles",
    summary: "Give a user another role; connected clients have to ask again",
    allow: "administer",
    refusesTokens: "A token cannot give roles: sign in as a user",
    input: z.object({ id, role: roleSchema }),
    audit: { target: ofUser, state: toState },
    run: ({ services, actor }, input) => services.people.setRole(actor, input.id, input.role),
  }),
  setDisabled: act({
    rest: "PATCH /people/{id}",
    summary: "Switch an account off, which ends its sessions, tokens, clients and links for good, or on again",
    allow: "administer",
    input: z.object({ id, disabled: z.boolean() }),
    audit: { target: ofUser, state: toState },
    run: ({ services, actor }, input) => services.people.setDisabled(actor, input.id, input.disabled),
  }),
  remove: act({
    rest: "DELETE /people/{id}",
    summary: "Delete an account with its sessions and tokens",
    allow: "administer",
    input: byId,
    audit: { target: ofUser, state: toState },
    run: ({ services, actor }, input) => services.people.remove(actor, input.id),
  }),
  endSessions: act({
    rest: "DELETE /people/{id}/sessions",
    summary: "Sign a user out of all browsers",
    allow: "administer",
    input: byId,
    audit: { target: ofUser },
    run: ({ services, actor }, input) => services.people.endSessions(actor, input.id),
  }),
  revokeTokens: act({
    rest: "DELETE /people/{id}/tokens",
    summary: "Revoke all API tokens of a user",
    allow: "administer",
    input: byId,
    output: z.object({ revoked: z.number().int().describe("How many there were") }),
    audit: { target: ofUser, after: ({ revoked }) => ({ revoked }) },
    run: async ({ services, actor }, input) => ({ revoked: await services.people.revokeTokens(actor, input.id) }),
  }),
  unlock: act({
    rest: null,
    unrouted:
      "A token could guess passwords without waiting: Settings → People lifts the wait, and so does a reset link",
    summary: "Let a user sign in at once after wrong passwords",
    allow: "administer",
    refusesTokens: "A token cannot unlock the sign-in: sign in as a user",
    input: byId,
    audit: { target: ofUser },
    run: ({ services, actor }, input) => services.people.unlock(actor, input.id),
  }),
  switchOn: act({
    rest: null,
    unrouted: "Who switches accounts on creates the first one in the browser: TOOLROOM_AUTH=on does it without one",
    summary: "Need accounts from the next start on",
    allow: "administer",
    audit: { target: () => ({ kind: "setting", name: "accounts" }), after: () => ({ accounts: "on" }) },
    run: ({ services, actor }) => services.people.switchOn(actor),
  }),
});
