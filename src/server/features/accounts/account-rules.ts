import type { Principal } from "../../../lib/contract/access";
import type { AuditTarget } from "../../../lib/contract/audit";
import { type MethodRules, READS } from "../../platform/shared/method-rules";
import type { createAccountService, createPeopleService } from "./account-service";
import type { createLocalRecords } from "./local-records";

type PeopleService = ReturnType<typeof createPeopleService>;
type AccountService = ReturnType<typeof createAccountService> & ReturnType<typeof createLocalRecords>;

const findPerson = async (people: PeopleService, id: string, by: Principal) =>
  (await people.list(by)).find((each) => each.id === id);

async function readPerson(people: PeopleService, id: string, by: Principal) {
  const found = await findPerson(people, id, by);
  if (found === undefined) return null;
  const { name, email, role, disabledAt } = found;
  return { name, email, role, maySignIn: disabledAt === null };
}

export function createPeopleRules(people: PeopleService): MethodRules<PeopleService> {
  async function target([id]: [id: string, ...unknown[]], _: unknown, by: Principal): Promise<AuditTarget> {
    const found = await findPerson(people, id, by);
    return { kind: "person", name: found === undefined ? id : `${found.name} <${found.email}>` };
  }
  const state = ([id]: [id: string, ...unknown[]], _: unknown, by: Principal) => readPerson(people, id, by);
  return {
    list: { permission: "administer", ...READS },
    directory: { permission: "edit", ...READS },
    invitations: { permission: "administer", ...READS },
    // The result is the link.
    invite: {
      permission: "administer",
      target: ([{ email }]) => ({ kind: "invitation", name: email ?? "anyone" }),
      after: ([input]) => input,
    },
    revokeInvitation: {
      permission: "administer",
      target: ([id]) => ({ kind: "invitation", name: id }),
      async state([id], _, by) {
        const link = (await people.invitations(by)).find((each) => each.id === id);
        return link === undefined ? null : { email: link.email, role: link.role, creator: link.creatorName };
      },
    },
    createReset: { permission: "administer", target },
    setRole: { permission: "administer", target, state },
    setDisabled: { permission: "administer", target, state },
    remove: { permission: "administer", target, state },
    endSessions: { permission: "administer", target },
    revokeTokens: { permission: "administer", target, after: (_, revoked) => ({ revoked }) },
    unlock: { permission: "administer", target },
    switchOn: {
      permission: "administer",
      target: () => ({ kind: "setting", name: "accounts" }),
      after: () => ({ accounts: "on" }),
    },
  };
}

/** Everyone's own. */
export function createAccountRules(people: PeopleService): MethodRules<AccountService> {
  const target = (_: unknown, __: unknown, by: Pick<Principal, "name">): AuditTarget => ({
    kind: "person",
    name: by.name,
  });
  return {
    me: { permission: "read", ...READS },
    sessions: { permission: "read", ...READS },
    rename: { permission: "own", target, state: (_, __, by) => readPerson(people, by.id, by) },
    endSession: { permission: "own", target, after: ([id]) => ({ session: id }) },
    endAllSessions: { permission: "own", target },
    changePassword: { permission: "own", target },
    localRecords: { permission: "read", ...READS },
    claimLocalRecords: { permission: "administer", target, after: (_, claimed) => claimed },
    clients: { permission: "read", ...READS },
    consentRequest: { permission: "read", ...READS },
    revokeClient: { permission: "own", target: ([id], revoked) => ({ kind: "client", name: revoked?.name ?? id }) },
  };
}
