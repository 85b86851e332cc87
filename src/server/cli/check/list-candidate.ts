import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isPlainObject } from "../../../lib/contract/json";
import { isNestedDeeperThan } from "../../../lib/json/limits";
import { PLATFORM } from "../../../lib/platform";
import { createMcpConnections } from "../../mcp/client/mcp-connections";
import { LOCAL_ADDRESSES } from "../../platform/outgoing/address-policy";
import { toSystemVariables } from "../../platform/shared/system-variables";
import { CommandError, EXIT } from "../command-error";
import type { CommandIo } from "../command-io";
import { MAX_LEVELS } from "./baseline-file";
import type { Candidate } from "./candidate-settings";

export interface ListedCandidate {
  /** The name by which the server introduces itself. */
  name: string;
  tools: readonly unknown[];
}

const CLOSE_GRACE_MS = 1_000;
const NAME = "candidate";

/**
 * Starts or reaches the candidate as Toolroom would, lists its tools and ends it. Calls no tool, and declines what it asks.
 * @throws CommandError with the reason, without secrets
 */
export async function listCandidate(
  { settings }: Candidate,
  io: Pick<CommandIo, "env" | "cwd" | "version" | "signal">,
  deadline: AbortSignal,
): Promise<ListedCandidate> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "toolroom-check-"));
  const unused = async (): Promise<null> => null;
  let tools: readonly unknown[] | null = null;
  const connections = createMcpConnections({
    events: {
      onState: ignore,
      onTools: (_, listed) => {
        tools = listed;
      },
      onLog: ignore,
      onContent: ignore,
    },
    credentials: { read: unused, write: async () => undefined },
    personal: {
      credentials: { read: unused, writeSignIn: async () => undefined, signIns: async () => [] },
      isUser: () => false,
      getPage: () => "",
    },
    protocols: { read: unused, write: async () => undefined },
    interactions: { ask: async () => ({ action: "decline" }) },
    sampling: { respond: () => Promise.reject(new Error("a check answers no sampling requests")) },
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    variables: toSystemVariables(io.env, PLATFORM),
    rootDir: io.cwd,
    getFolder: () => folder,
    addresses: LOCAL_ADDRESSES,
    client: { name: "toolroom-check", version: io.version },
    limits: { closeGraceMs: CLOSE_GRACE_MS },
  });
  try {
    connections.apply(settings);
    const state = await connections.ready(NAME, AbortSignal.any([io.signal, deadline]));
    io.signal.throwIfAborted();
    if (state.status !== "connected" || state.reason !== null || tools === null) {
      const reason = state.reason ?? (deadline.aborted ? "it did not list its tools in time" : state.status);
      throw new CommandError(EXIT.unreachable, `The candidate's tools could not be listed: ${reason}`);
    }
    return { name: state.peer?.name ?? NAME, tools: refuseNested(tools) };
  } finally {
    await connections.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deeper than any schema that a model reads; comparing goes down each level. @throws CommandError that names the tool */
function refuseNested(tools: readonly unknown[]): readonly unknown[] {
  const deep = tools.find((tool) => isNestedDeeperThan(tool, MAX_LEVELS));
  if (deep === undefined) return tools;
  const name = isPlainObject(deep) ? String(deep.name).slice(0, 128) : "";
  const reason = `the tool '${name}' is nested deeper than ${MAX_LEVELS} levels`;
  throw new CommandError(EXIT.unreachable, `The candidate's tools could not be listed: ${reason}`);
}

function ignore(): void {}
