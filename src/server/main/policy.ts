import { type Permission, permissionForServer, permissionForToolset } from "../../lib/contract/access";
import { permissionForApproval } from "../../lib/contract/approver";
import type { Policy } from "../features/accounts/guard-services";
import type { Services } from "./create-services";

/** Who may do what: an entry for every method that changes or runs something. Reading needs `read`, for all of it. */
export function createPolicy({
  servers,
  tools,
  toolsets,
}: Pick<Services, "servers" | "tools" | "toolsets">): Policy<Services> {
  const forServer = (name: string): Permission => permissionForServer(servers.get(name).settings);
  return {
    tools: {
      create: "edit",
      update: "edit",
      delete: "edit",
      restore: "edit",
      restoreVersion: "edit",
      setEnabled: "edit",
      setOwner: "edit",
      setDeprecation: "edit",
      setLens: "edit",
      // Everyone's own.
      favorites: "read",
      setFavorite: "read",
      // Whoever may be the requester must not decide who approves.
      setApproval: (name, mode) => permissionForApproval(tools.approvalMode(name), mode),
      liftApproval: (name) => permissionForApproval(tools.approvalMode(name), null),
    },
    toolsets: {
      create: permissionForToolset,
      // A toolset that lets calls run without approval decides what runs unasked.
      update: (name, input) =>
        permissionForToolset(toolsets.get(name)) === "edit" ? permissionForToolset(input) : "administer",
      delete: "edit",
    },
    executions: {
      run: "run",
      replay: "run",
      cancel: "run",
      setPinned: "run",
      delete: "administer",
      deletionPreview: "administer",
    },
    approvals: { decide: "run", decideMany: "run", withdraw: "run", revokeAllowance: "run" },
    interactions: { answer: "run" },
    runs: { start: "run", send: "run", stop: "run", resume: "run", rerun: "run" },
    modelChecks: { start: "run", cancel: "run" },
    models: {
      available: "run",
      createProvider: "administer",
      updateProvider: "administer",
      deleteProvider: "administer",
      testProvider: "administer",
    },
    system: { deleteDamaged: "administer" },
    servers: {
      create: permissionForServer,
      import: (added) =>
        added.some(({ settings }) => permissionForServer(settings) === "administer") ? "administer" : "edit",
      // Its settings are read as those of an API, whatever transport they name; it may use what is stored for the server.
      describeDocument: (settings, editing) =>
        editing === null || forServer(editing) === "edit"
          ? permissionForServer({ ...(settings as object), transport: "openapi" })
          : "administer",
      update: (name, settings) => (forServer(name) === "edit" ? permissionForServer(settings) : "administer"),
      delete: forServer,
      // Its random id is known to whoever deleted it.
      restore: "edit",
      setEnabled: forServer,
      setApproval: "edit",
      decideChanges: "edit",
      reconnect: "edit",
      startSignIn: (name) => (servers.get(name).credentials === "personal" ? "run" : "edit"),
      finishSignIn: "edit",
      signOut: "edit",
    },
    apps: { open: "run", callTool: "run", request: "run" },
    content: { resources: "run", prompts: "run", readResource: "run", getPrompt: "run" },
    transcripts: {
      create: "run",
      append: "run",
      close: "run",
      delete: "edit",
    },
    people: {
      list: "administer",
      directory: "edit",
      invitations: "administer",
      invite: "administer",
      revokeInvitation: "administer",
      createReset: "administer",
      setRole: "administer",
      setDisabled: "administer",
      remove: "administer",
      endSessions: "administer",
      revokeTokens: "administer",
      unlock: "administer",
      switchOn: "administer",
    },
    // Each entry is judged by itself: servers that start a command need more.
    sharing: { export: "read", preview: "read", import: "edit" },
    // Everyone's own.
    account: {
      me: "read",
      sessions: "read",
      rename: "own",
      endSession: "own",
      endAllSessions: "own",
      changePassword: "own",
      localRecords: "read",
      claimLocalRecords: "administer",
      clients: "read",
      consentRequest: "read",
      revokeClient: "own",
    },
    tokens: { list: "read", create: "own", revoke: "own" },
    auditLog: { list: "administer", facets: "administer", export: "administer" },
    // Everyone's own as well: connecting leads to calls, and what was entered can be removed whatever the role is now.
    credentials: {
      list: "read",
      own: "read",
      holders: "administer",
      save: "run",
      test: "run",
      remove: "own",
      finishSignIn: "run",
    },
  };
}
