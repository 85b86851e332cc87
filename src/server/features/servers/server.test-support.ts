import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { ServerSettings, ServerSettingsInput } from "../../../lib/contract/server";
import { serverSettingsSchema } from "../../../lib/contract/server";
import type { ConnectionSettings, McpConnections } from "../../engine/mcp-ports";
import type { SecretBox } from "./server-store";

/** A real cipher, so that a test can look for plain text in the file. */
export function testSecretBox(key: Buffer = randomBytes(32)): SecretBox {
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

export function getSettings(more: Partial<ServerSettingsInput> & { name: string }): ServerSettings {
  const base = more.transport === "http" || more.transport === "sse" ? {} : { transport: "stdio", command: "node" };
  return serverSettingsSchema.parse({ ...base, ...more });
}

export function stateWith(more: Partial<ConnectionState>): ConnectionState {
  return {
    status: "connected",
    reason: null,
    nextAttemptAt: null,
    attempts: 0,
    connectedAt: 1,
    connectingSince: null,
    protocolVersion: "2025-11-25",
    peer: null,
    instructions: null,
    capabilities: ["tools"],
    pid: null,
    pingMs: null,
    ...more,
  };
}

/** For tests that read no OpenAPI documents, and of pasted configurations only strict JSON. */
export const PLAIN_READERS = {
  getMask: (secret: string) => `[masked:${createHash("sha256").update(secret).digest("hex").slice(0, 12)}]`,
  installation: {
    home: "/srv/toolroom",
    data: "/srv/toolroom/data",
    databaseUrl: "file:/srv/toolroom/data/toolroom.db",
    config: null,
    isContainer: false,
    platform: "linux" as const,
  },
  tokenNeeds: { http: false, stdio: false },
  documents: { outline: () => Promise.reject(new Error("no documents")) },
  parseConfigText: async ({ text }: { text: string }) => ({ json: text, notes: [] }),
};

/** Connections that connect to nothing: they remember what was asked of them. */
export function recordingConnections() {
  const applied = new Map<string, ConnectionSettings>();
  const removed: string[] = [];
  const states = new Map<string, ConnectionState>();
  const rejectUse = (): never => {
    throw new Error("Not part of this test");
  };
  const getState = (server: string): ConnectionState | null => {
    const settings = applied.get(server);
    if (!settings) return null;
    return states.get(server) ?? stateWith({ status: settings.enabled ? "connected" : "disabled" });
  };
  const connections: McpConnections = {
    apply: (settings) => void applied.set(settings.name, settings),
    remove: async (server) => {
      removed.push(server);
      applied.delete(server);
    },
    reconnect: async (server) => getState(server) ?? rejectUse(),
    ready: async (server) => getState(server) ?? rejectUse(),
    state: getState,
    log: () => [],
    messages: () => [],
    content: async () => rejectUse(),
    capabilities: () => null,
    startSignIn: async () => null,
    finishSignIn: async () => rejectUse(),
    signOut: async () => {},
    signedIn: () => false,
    startedSignIn: async () => false,
    credentialsChanged: async () => {},
    call: async () => rejectUse(),
    close: async () => {},
  };
  return { connections, applied, removed, states };
}
