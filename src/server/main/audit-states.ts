import type { Principal } from "../../lib/contract/access";
import type { ApiToken } from "../../lib/contract/account";
import { LOCAL_OWNER } from "../../lib/contract/actor";
import type { ApprovalDecision, ApprovalOutcome } from "../../lib/contract/approval";
import type { AuditTarget } from "../../lib/contract/audit";
import type { ModelProviderInput } from "../../lib/contract/model";
import type { Services } from "./create-services";

/** What the audit log keeps of a target. Each leaves out secrets, and what changes by itself. */
export function createAuditStates(services: Services) {
  const { tools, servers, models, people, transcripts, approvals, tokens } = services;

  const findPerson = async (id: string) => (await people.list(LOCAL_OWNER)).find((each) => each.id === id);
  const findToken = async (id: string, by: Principal) => (await tokens.list(by)).find((each) => each.id === id);

  return {
    /** Of an unchecked value, for attempts that do not get as far as its check. */
    nameIn,
    nameInText(text: string): string {
      try {
        return nameIn(JSON.parse(text));
      } catch {
        return "";
      }
    },
    tool(name: string) {
      const { definition, enabled } = tools.get(name);
      return { enabled, definition };
    },
    server(name: string) {
      const { settings, enabled } = servers.get(name);
      return { enabled, settings };
    },
    /** Names of the environment values and headers that a request sets: their values show nowhere. */
    replacedSecrets(settings: unknown) {
      const { env, headers, query } = (settings ?? {}) as Record<string, unknown>;
      const given = [env, headers, query].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
      const names = given.flatMap((entry) => {
        const { name, value } = (entry ?? {}) as Record<string, unknown>;
        return typeof name === "string" && typeof value === "string" && !value.includes("$") ? [name] : [];
      });
      return names.length === 0 ? {} : { valuesReplaced: names };
    },
    /** @param input of a change, which tells whether it sets a key */
    provider(name: string, input?: ModelProviderInput) {
      const found = models.providers().items.find((each) => each.name === name);
      if (found === undefined) return null;
      const { problem: _problem, ...state } = found;
      return input?.apiKey == null ? state : { ...state, keyReplaced: true };
    },
    async transcript(id: string) {
      const { title, status, settings, segmentCount } = await transcripts.get(id);
      return { title, status, settings, segmentCount };
    },
    async decision(executionId: string, { argumentsText, ...decision }: ApprovalDecision, outcome: ApprovalOutcome) {
      const { toolName } = await approvals.get(executionId);
      const { decided, status } = outcome;
      return { tool: toolName, ...decision, argumentsEdited: argumentsText !== undefined, decided, status };
    },
    async invitation(id: string) {
      const link = (await people.invitations(LOCAL_OWNER)).find((each) => each.id === id);
      return link === undefined ? null : { email: link.email, role: link.role, creator: link.creatorName };
    },
    person: {
      async target(id: string): Promise<AuditTarget> {
        const found = await findPerson(id);
        return { kind: "person", name: found === undefined ? id : `${found.name} <${found.email}>` };
      },
      async state(id: string) {
        const found = await findPerson(id);
        if (found === undefined) return null;
        const { name, email, role, disabledAt } = found;
        return { name, email, role, maySignIn: disabledAt === null };
      },
    },
    token: {
      async target(id: string, by: Principal): Promise<AuditTarget> {
        return { kind: "token", name: (await findToken(id, by))?.name ?? id };
      },
      async state(id: string, by: Principal) {
        const found = await findToken(id, by);
        return found === undefined ? null : describeToken(found);
      },
      describe: describeToken,
    },
  };
}

function nameIn(value: unknown): string {
  return String((value as { name?: unknown } | null)?.name ?? "");
}

function describeToken({ id, name, ownerName, scopes, tools, servers, toolsets, expiresAt }: ApiToken) {
  const limits = { tools, servers, ...(toolsets ? { toolsets } : {}) };
  return { id, name, owner: ownerName, scopes, ...limits, expiresAt };
}
