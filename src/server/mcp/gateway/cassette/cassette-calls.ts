import type { IncomingMessage, ServerResponse } from "node:http";
import { CLIENT_INFO_META_KEY, type Result } from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../../lib/contract/json";
import type { CassetteVisit } from "../../../engine/cassettes/cassette-ports";
import type { ExecuteOptions } from "../../../engine/executor/tool-executor";
import type { InteractionHandler } from "../../../engine/ports";
import { type CallRequest, clientLabel, notFound, protocolErrorFor, toCallResult } from "../call-message";
import type { CallNotices } from "../call-notices";
import type { CatalogView } from "../catalog/catalog-view";
import type { GatewayPorts } from "../gateway-ports";
import { rejectRequest } from "../http-answers";
import { delay, faultResult, missResult, playRecording } from "./play-call";

type PlayPorts = Pick<GatewayPorts, "cassettes" | "tools" | "executor">;

interface CallParts {
  notices: CallNotices;
  interact: InteractionHandler | undefined;
  signal: AbortSignal;
  /** Options for a call that runs live. */
  options(): ExecuteOptions;
}

/** Answers a call at the address of a cassette; null for a call at another address. */
export async function playAtCassette(
  ports: PlayPorts,
  view: CatalogView,
  request: CallRequest,
  parts: CallParts,
): Promise<Result | null> {
  const { cassettes } = ports;
  const { content: kind = "tool", name, args, sessionId, protocol } = request;
  const visit = toVisit(view, { client: clientLabel(request.clientInfo), sessionId });
  if (visit === null || cassettes === undefined) return null;
  const { notices, interact, signal } = parts;
  const played = await cassettes.play(visit, { kind, name, args, canRunLive: kind === "tool" });
  await delay(played.delayMs, signal);
  switch (played.kind) {
    case "fault":
      return faultResult(kind);
    case "missed":
      return missResult(kind, played.message, played);
    case "recorded":
      return await playRecording(played, {
        protocol,
        signal,
        interact,
        progress: notices.progress,
        log: request.logs ? (sent) => notices.log({ atMs: 0, level: "info", message: "" }, sent) : undefined,
        onMiss: (message) => cassettes.noteMiss(visit, name, message),
      });
    case "live":
      return await runLive(ports, view, request, played.catalogName, parts);
  }
}

/** Runs a call that a cassette has no recording of, and lets through. */
async function runLive(
  { tools, executor }: PlayPorts,
  view: CatalogView,
  request: CallRequest,
  name: string,
  { interact, options }: CallParts,
): Promise<Result> {
  const definition = tools().find((tool) => tool.name === name);
  if (definition === undefined || !view.admits(name)) throw notFound(request);
  const executed = await executor.execute(name, request.args, {
    ...options(),
    ...(interact === undefined ? {} : { interact }),
    calledAs: request.name,
  });
  const refusal = executed.success ? null : protocolErrorFor(executed, request, name);
  if (refusal !== null) throw refusal;
  return toCallResult(executed, definition, request.name);
}

/** Lets a request at the address of a cassette fail as its faults demand. @returns whether it failed */
export async function injectFault(
  { cassettes }: PlayPorts,
  view: CatalogView,
  message: unknown,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { params, id = null } = isPlainObject(message) ? message : {};
  const { _meta: meta, name, uri } = isPlainObject(params) ? params : {};
  const session = headers["mcp-session-id"];
  // In the stateless protocol every request names its sender.
  const client = clientLabel(isPlainObject(meta) ? meta[CLIENT_INFO_META_KEY] : undefined);
  const visit = toVisit(view, { client, sessionId: typeof session === "string" ? session : null });
  if (visit === null) return false;
  const found = await cassettes?.admit({ ...visit, subject: String(name ?? uri ?? "").slice(0, 256) });
  if (found === undefined || found === null) return false;
  if (found.fault === "drop") response.destroy();
  else {
    const again = `Injected fault: try again in ${found.retryAfter} s`;
    rejectRequest(response, 429, again, { headers: { "retry-after": String(found.retryAfter) }, id });
  }
  return true;
}

/** Null at an address without a cassette. */
function toVisit(
  { query: { cassette }, principal: { id, name } }: CatalogView,
  caller: Pick<CassetteVisit, "client" | "sessionId">,
): CassetteVisit | null {
  if (cassette === undefined) return null;
  const { label, faults } = cassette;
  return { ...caller, name: cassette.name, label, faults, actor: { id, name } };
}
