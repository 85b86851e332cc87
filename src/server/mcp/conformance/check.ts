import type { ConformanceCheck } from "../../../lib/contract/conformance";
import { getMessage } from "../../../lib/get-message";
import type { Answer, Exchange } from "./exchange";
import type { Discovery } from "./oauth-discovery";
import type { Peer } from "./peer";

export interface Finding {
  outcome: ConformanceCheck["outcome"];
  message: string | null;
}

/** What a check knows about the server. */
export interface CheckContext {
  exchange: Exchange;
  transport: "http" | "stdio";
  /** Whether only programs of this machine reach it. */
  isLocal: boolean;
  /** Null where it could not be met; then `noPeer` says why. */
  peer: Peer | null;
  noPeer: string;
  /** The answer to an opening without credentials. */
  anonymous: Answer | null;
  /** Whether it refuses those who do not prove who they are. */
  demandsToken: boolean;
  discovery: Discovery;
  /** Gets a token for a resource of another name; null where no credentials allow it. */
  requestForeignToken: (() => Promise<string | null>) | null;
}

/** A check of Toolroom's own, which needs no tools of a fixed name. */
export interface OwnCheck {
  id: string;
  group: "transport" | "json-rpc" | "oauth";
  title: string;
  run(context: CheckContext): Promise<Finding> | Finding;
}

export const pass: Finding = { outcome: "passed", message: null };
export const fail = (message: string): Finding => ({ outcome: "failed", message });
export const warn = (message: string): Finding => ({ outcome: "warning", message });
export const skip = (message: string): Finding => ({ outcome: "skipped", message });

/** Never rejects, unless the run was cancelled. */
export async function runCheck(check: OwnCheck, context: CheckContext, signal: AbortSignal): Promise<ConformanceCheck> {
  const { id, group, title } = check;
  try {
    return { id, group, title, ...(await check.run(context)) };
  } catch (error) {
    signal.throwIfAborted();
    const message = getMessage(error);
    // The policy of this Toolroom says nothing about the server.
    const isRefused = (error as { code?: unknown } | null)?.code === "ERR_ADDRESS_REFUSED";
    return { id, group, title, ...(isRefused ? skip(message) : fail(`No usable answer: ${message}`)) };
  }
}

/** Runs a check with the server as it introduced itself. */
export const withPeer =
  (work: (peer: Peer, context: CheckContext) => Promise<Finding> | Finding): OwnCheck["run"] =>
  (context) =>
    context.peer === null ? skip(`The server could not be tested: ${context.noPeer}`) : work(context.peer, context);

/** Runs a check of the server's own HTTP. */
export const overHttp =
  (work: (peer: Peer, context: CheckContext) => Promise<Finding> | Finding): OwnCheck["run"] =>
  (context) =>
    context.transport === "stdio"
      ? skip("The server speaks over its standard streams, not HTTP")
      : withPeer(work)(context);
