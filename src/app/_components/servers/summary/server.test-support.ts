import type { ConnectionState, ServerDetail, ServerSummary } from "@/lib/contract/server";

/** For tests: a server that is connected and has nothing to say. */
export function serverSummary(
  part: Partial<Omit<ServerSummary, "state">> & { state?: Partial<ConnectionState> },
): ServerSummary {
  return {
    name: "files",
    title: null,
    origin: "console",
    transport: "stdio",
    target: "npx -y server-filesystem /srv",
    enabled: true,
    toolCount: 3,
    problemCount: 0,
    heldCount: 0,
    heldSkillCount: 0,
    appliedCount: 0,
    lastChange: null,
    auth: "none",
    credentials: "shared",
    ...part,
    state: {
      status: "connected",
      reason: null,
      nextAttemptAt: null,
      attempts: 0,
      connectedAt: 1_000,
      connectingSince: null,
      protocolVersion: "2025-11-25",
      peer: null,
      instructions: null,
      capabilities: ["tools"],
      pid: null,
      pingMs: null,
      ...part.state,
    },
  };
}

/** For tests: the same with its settings and no tools. */
export function serverDetail(part: Partial<ServerDetail> = {}): ServerDetail {
  return {
    ...serverSummary({}),
    settings: {
      name: "files",
      transport: "stdio",
      protocol: "auto",
      command: "npx",
      args: ["-y", "server-filesystem", "/srv"],
      env: [],
      roots: [],
    },
    editable: true,
    originPath: null,
    listedCount: 0,
    changeCount: 0,
    listedAt: 1_000,
    signedIn: false,
    ...part,
  };
}
