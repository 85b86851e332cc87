import type { Principal } from "../../lib/contract/access";
import type { AuditTarget } from "../../lib/contract/audit";
import type { AuditRules } from "../features/accounts/guard-services";
import { createAuditStates } from "./audit-states";
import type { Services } from "./create-services";

const READS = { unrecorded: "It changes nothing" };

type Target = (args: [name: string, ...unknown[]]) => AuditTarget;
/** The first argument is the target's name or id. */
const first =
  (kind: string): Target =>
  ([name]) => ({ kind, name });
const [tool, server, run] = [first("tool"), first("server"), first("run")];
const toolset = first("toolset");
const [execution, transcript, provider] = [first("execution"), first("transcript"), first("model provider")];
const shownBy = ([{ executionId }]: [{ executionId: string }]): AuditTarget => execution([executionId]);

const self = (by: Pick<Principal, "name">): AuditTarget => ({ kind: "person", name: by.name });

/**
 * What the audit log says of every method that changes or runs something. `target` and the states are read before and
 * after the method; a method without a state says what it was asked for in `after`, never its secrets.
 */
export function createAuditRules(services: Services): AuditRules<Services> {
  const { tools, toolsets, servers } = services;
  const states = createAuditStates(services);
  const { person, token, invitation } = states;
  return {
    tools: {
      create: {
        target: ([text], made) => ({ kind: "tool", name: made?.name ?? states.nameInText(text) }),
        after: (_, made) => states.tool(made.name),
      },
      update: {
        target: ([name], made) => ({ kind: "tool", name: made?.name ?? name }),
        state: ([name], made) => states.tool(made?.name ?? name),
      },
      delete: { target: tool, state: ([name]) => states.tool(name) },
      restore: {
        target: ([id], made) => ({ kind: "tool", name: made?.name ?? id }),
        after: (_, made) => states.tool(made.name),
      },
      restoreVersion: {
        target: tool,
        state: ([name]) => states.tool(name),
        after: ([name, number]) => ({ ...states.tool(name), restoredFrom: number }),
      },
      setEnabled: { target: tool, state: ([name]) => ({ enabled: tools.get(name).enabled }) },
      setOwner: { target: tool, state: ([name]) => ({ owner: tools.get(name).owner }) },
      setDeprecation: { target: tool, state: ([name]) => ({ deprecation: tools.get(name).deprecation }) },
      setLens: { target: tool, state: ([name]) => ({ lens: tools.get(name).lens?.expression ?? null }) },
      favorites: READS,
      setFavorite: { unrecorded: "It changes nothing for others", target: tool },
      setApproval: { target: tool, state: ([name]) => ({ approval: tools.get(name).approval }) },
      liftApproval: { target: tool, state: ([name]) => ({ mode: tools.approvalMode(name) }) },
    },
    toolsets: {
      create: { target: ([{ name }]) => toolset([name]), after: (_, made) => made },
      update: {
        target: ([name], made) => toolset([made?.name ?? name]),
        state: ([name], made) => toolsets.get(made?.name ?? name),
      },
      delete: { target: toolset, state: ([name]) => toolsets.get(name) },
    },
    executions: {
      run: { unrecorded: "The execution records it", target: ([{ tool: name }]) => ({ kind: "tool", name }) },
      replay: { unrecorded: "The execution records it", target: execution },
      cancel: { target: execution, after: (_, outcome) => outcome },
      delete: {
        target: (_, outcome) => ({ kind: "execution", name: `${outcome?.deleted ?? 0} deleted` }),
        after: ([choice], outcome) => ({ ...choice, ...outcome }),
      },
      deletionPreview: READS,
      setPinned: { target: execution, after: ([, pinned]) => ({ pinned }) },
    },
    approvals: {
      decide: {
        target: execution,
        after: ([id, decision], outcome) => states.decision(id, decision, outcome),
      },
      decideMany: {
        target: ([ids]) => ({ kind: "execution", name: ids.join(", ") }),
        after: ([ids, { approved, reason }], { outcomes }) => ({
          approved,
          reason: reason ?? null,
          outcomes: ids.map((id, at) => ({ execution: id, status: outcomes[at]?.status ?? null })),
        }),
      },
      withdraw: { target: execution, after: (_, withdrawn) => ({ withdrawn }) },
      revokeAllowance: { target: execution, after: (_, outcome) => outcome },
    },
    // What was answered may be personal: it goes to the server and nowhere else.
    interactions: {
      answer: { target: first("server request"), after: ([, { action }], outcome) => ({ action, ...outcome }) },
    },
    // Messages and settings are in the run's log.
    runs: {
      start: { target: (_, made) => (made === undefined ? null : run([made.id])) },
      send: { target: run },
      stop: { target: run, after: (_, outcome) => outcome },
      resume: { target: run },
      rerun: {
        target: ([{ id }], made) => run([made?.id ?? id]),
        after: ([{ id, fromStep, results }]) => ({ rerunOf: id, fromStep, results }),
      },
    },
    modelChecks: {
      start: {
        target: ([{ provider: name, model }]) => ({ kind: "model", name: `${name}/${model}` }),
        after: ([{ rounds }], { id }) => ({ id, rounds }),
      },
      cancel: { target: first("model check"), after: (_, outcome) => outcome },
    },
    models: {
      available: READS,
      createProvider: {
        target: ([{ name }]) => provider([name]),
        after: ([input], made) => states.provider(made.name, input),
      },
      updateProvider: {
        target: ([name], made) => provider([made?.name ?? name]),
        state: ([name]) => states.provider(name),
        after: ([, input], made) => states.provider(made.name, input),
      },
      deleteProvider: { target: provider, state: ([name]) => states.provider(name) },
      testProvider: READS,
    },
    system: { deleteDamaged: { target: ([{ kind, name }]) => ({ kind, name }), after: () => ({ damaged: true }) } },
    servers: {
      create: {
        target: ([settings], made) => server([made?.name ?? states.nameIn(settings)]),
        after: (_, made) => states.server(made.name),
      },
      import: {
        target: ([added]) => server([added.map(({ settings }) => states.nameIn(settings)).join(", ")]),
        after: (_, { created, rejected }) => ({ created: created.map(states.server), rejected }),
      },
      update: {
        target: ([name], made) => server([made?.name ?? name]),
        state: ([name]) => states.server(name),
        after: ([, settings], made) => ({ ...states.server(made.name), ...states.replacedSecrets(settings) }),
      },
      describeDocument: READS,
      delete: { target: server, state: ([name]) => states.server(name) },
      restore: { target: ([id], made) => server([made?.name ?? id]), after: (_, made) => states.server(made.name) },
      setEnabled: { target: server, state: ([name]) => ({ enabled: servers.get(name).enabled }) },
      setApproval: { target: server, state: ([name]) => ({ approval: servers.get(name).settings.approval ?? null }) },
      decideChanges: {
        target: server,
        after: ([, changes, decision], { decided }) => ({
          decision,
          changes: changes
            .filter((each) => decided.includes(each.tool))
            .map((each) => ({ tool: each.tool, hash: each.hash })),
        }),
      },
      reconnect: { target: server },
      startSignIn: { target: server },
      // The parameters hold the authorization code.
      finishSignIn: { after: (_, { path }) => ({ path }) },
      signOut: { target: server },
    },
    apps: {
      open: { unrecorded: "The execution records it", target: shownBy },
      callTool: { unrecorded: "The execution records it", target: shownBy },
      request: { unrecorded: "The execution records it", target: shownBy },
    },
    content: {
      resources: { ...READS, target: server },
      prompts: { ...READS, target: server },
      readResource: { unrecorded: "The execution records it", target: server },
      getPrompt: { unrecorded: "The execution records it", target: server },
    },
    transcripts: {
      create: {
        target: ([{ title }], made) => transcript([made?.id ?? title]),
        after: (_, made) => states.transcript(made.id),
      },
      append: { unrecorded: "The transcript holds it", target: transcript },
      close: { target: transcript, state: ([id]) => states.transcript(id) },
      delete: { target: transcript, state: ([id]) => states.transcript(id) },
    },
    people: {
      list: READS,
      directory: READS,
      invitations: READS,
      // The result is the link.
      invite: { target: ([{ email }]) => ({ kind: "invitation", name: email ?? "anyone" }), after: ([input]) => input },
      revokeInvitation: {
        target: ([id]) => ({ kind: "invitation", name: id }),
        state: ([id]) => invitation(id),
      },
      createReset: { target: ([id]) => person.target(id) },
      setRole: { target: ([id]) => person.target(id), state: ([id]) => person.state(id) },
      setDisabled: { target: ([id]) => person.target(id), state: ([id]) => person.state(id) },
      remove: { target: ([id]) => person.target(id), state: ([id]) => person.state(id) },
      endSessions: { target: ([id]) => person.target(id) },
      revokeTokens: { target: ([id]) => person.target(id), after: (_, revoked) => ({ revoked }) },
      unlock: { target: ([id]) => person.target(id) },
      switchOn: { target: () => ({ kind: "setting", name: "accounts" }), after: () => ({ accounts: "on" }) },
    },
    account: {
      me: READS,
      sessions: READS,
      rename: { target: (_, __, by) => self(by), state: (_, __, by) => person.state(by.id) },
      endSession: { target: (_, __, by) => self(by), after: ([id]) => ({ session: id }) },
      endAllSessions: { target: (_, __, by) => self(by) },
      changePassword: { target: (_, __, by) => self(by) },
      localRecords: READS,
      claimLocalRecords: { target: (_, __, by) => self(by), after: (_, claimed) => claimed },
      clients: READS,
      consentRequest: READS,
      revokeClient: { target: ([id], revoked) => ({ kind: "client", name: revoked?.name ?? id }) },
    },
    tokens: {
      list: READS,
      create: { target: ([{ name }]) => ({ kind: "token", name }), after: (_, made) => token.describe(made.token) },
      revoke: {
        target: ([id], _, by) => token.target(id, by),
        state: ([id], _, by) => token.state(id, by),
      },
    },
    // A file and its settings may hold secrets: only names are recorded.
    sharing: {
      export: {
        target: ([{ format }]) => ({ kind: "catalog", name: format }),
        after: (_, { text: _text, notes: _notes, fileName: _fileName, ...counts }) => counts,
      },
      preview: READS,
      import: {
        target: () => ({ kind: "catalog", name: "import" }),
        after: (_, outcome) => outcome,
        also: (_, { imported }) =>
          imported.flatMap(({ name, approval }) =>
            approval === undefined
              ? []
              : [
                  {
                    action: "tools.setApproval",
                    target: tool([name]),
                    before: { approval: { mode: approval.from } },
                    after: { approval: { mode: approval.to } },
                  },
                ],
          ),
      },
    },
    credentials: {
      list: READS,
      own: READS,
      holders: READS,
      // Names alone: the values are the person's own.
      save: { target: server, after: ([, values]) => ({ values: Object.keys(values) }) },
      test: { target: server },
      remove: { target: server },
      finishSignIn: { after: (_, { path }) => ({ path }) },
    },
    auditLog: {
      list: READS,
      facets: READS,
      export: {
        target: ([, format]) => ({ kind: "audit log", name: format }),
        after: ([filter]) => ({ filter }),
      },
    },
  };
}
