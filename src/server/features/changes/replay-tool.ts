import type { Actor } from "../../../lib/contract/actor";
import {
  REPLAY_CLIENT,
  type ReplayClass,
  type ReplayExample,
  type ReplayVerdict,
} from "../../../lib/contract/change-verdict";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { parseExact } from "../../../lib/json/exact-text";
import { toJsonText } from "../../../lib/json/known-text";
import { hasMask } from "../../../lib/masked-value";
import { findDifferences } from "../../engine/changes/compare-results";
import type { CheckCalls } from "../../engine/changes/traffic-ports";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/execute-options";
import type { McpCaller } from "../../engine/mcp-ports";
import type { TrafficStore } from "./traffic-store";

/** Recorded calls among which those to replay are chosen. */
const LOOKED_AT = 400;
const CALL_MS = 30_000;
const MAX_EXAMPLES = 50;
const MAX_CALL_BYTES = 262_144;

export interface SampledCall {
  executionId: string;
  args: Record<string, unknown>;
  /** The stored result; undefined where it is cut, or the call failed. */
  recorded: unknown;
}

interface SamplePorts {
  store: TrafficStore;
  checkCalls: CheckCalls;
}

/** Recorded calls of a tool that both versions accept, each with other arguments, the newest first. */
export async function sampleCalls(
  { store, checkCalls }: SamplePorts,
  tool: string,
  limit: number,
): Promise<SampledCall[]> {
  const heads = await store.heads(tool, "clients", Number.MAX_SAFE_INTEGER, LOOKED_AT);
  const usable = heads.filter(
    ({ errorKind, bytes, isPersonal }) => errorKind === null && bytes <= MAX_CALL_BYTES && !isPersonal,
  );
  const found: SampledCall[] = [];
  const seen = new Set<string>();
  for (const head of usable) {
    if (found.length >= limit) break;
    const [texts] = await store.texts(tool, "clients", { first: head.seq, last: head.seq }, true);
    if (texts === undefined || hasMask(texts.argumentsText) || texts.argumentsText.includes("[redacted]")) continue;
    const args = parseExact(texts.argumentsText);
    const key = canonicalJson(args);
    if (!isPlainObject(args) || seen.has(key)) continue;
    seen.add(key);
    const { argumentsText, resultText } = texts;
    const checked = await checkCalls([{ argumentsText, resultText: null, wasRefused: false }]);
    if (checked === "undecidable" || (checked[0]?.class ?? "accepted") !== "accepted") continue;
    found.push({ executionId: head.id, args, recorded: resultText === null ? undefined : JSON.parse(resultText) });
  }
  return found;
}

export interface ReplayedTool {
  /** The server's name of the tool, and its definition as clients know it. */
  tool: string;
  definition: ToolDefinition;
  samples: readonly SampledCall[];
  budget: number;
  /** The connections of the candidate, and of the current version; null where recorded results take its place. */
  candidate: string;
  current: string | null;
  actor: Actor;
  signal: AbortSignal;
}

interface ReplayPorts {
  mcp: McpCaller;
  execute: (name: string, args: unknown, options: ExecuteOptions) => Promise<ExecutionEnvelope>;
  /** Called after each replayed call. */
  onProgress: (verdict: ReplayVerdict) => void;
}

interface Reply {
  ok: boolean;
  result: unknown;
  reason: string | null;
  ms: number;
  bytes: number;
}

/**
 * Sends recorded arguments to both versions, one after the other. The version that is called twice shows which parts
 * vary between equal calls: the current one, or the candidate where only recorded results exist.
 */
export async function replayTool(replayed: ReplayedTool, ports: ReplayPorts): Promise<ReplayVerdict> {
  const { tool, samples, budget, candidate, current, signal } = replayed;
  const counts: Record<ReplayClass, number> = { same: 0, different: 0, failed: 0, variesByItself: 0 };
  const verdict: ReplayVerdict = { tool, calls: 0, budget, counts, examples: [], severity: null };
  const needed = current === null ? 2 : 3;
  const call = async (server: string, sample: SampledCall): Promise<Reply> => {
    verdict.calls += 1;
    return await callVersion(server, sample, replayed, ports);
  };
  for (const sample of samples) {
    if (verdict.calls + needed > budget) break;
    signal.throwIfAborted();
    const first = current === null ? toRecorded(sample) : await call(current, sample);
    const answered = await call(candidate, sample);
    const again = await call(current ?? candidate, sample);
    signal.throwIfAborted();
    const own =
      current === null ? findDifferences(answered.result, again.result) : findDifferences(first?.result, again.result);
    const example = toExample(sample, { first, answered, varying: own });
    counts[example.class] += 1;
    if (current === null) Object.assign(example, { currentMs: null });
    if (example.class !== "same" && verdict.examples.length < MAX_EXAMPLES) verdict.examples.push(example);
    verdict.severity = counts.failed > 0 ? "error" : counts.different > 0 ? "warning" : null;
    ports.onProgress(verdict);
  }
  return verdict;
}

/** Null where the stored result is cut: only a failure of the candidate says something then. */
function toRecorded({ recorded }: SampledCall): Reply | null {
  if (recorded === undefined) return null;
  return { ok: true, result: recorded, reason: null, ms: 0, bytes: measure(recorded) };
}

interface Replies {
  first: Reply | null;
  answered: Reply;
  /** Parts in which two calls of one version differ. */
  varying: ReadonlySet<string>;
}

function toExample({ executionId }: SampledCall, { first, answered, varying }: Replies): ReplayExample {
  const differing = first === null ? new Set<string>() : findDifferences(first.result, answered.result);
  const differences = [...differing].filter((path) => !varying.has(path));
  const isFailed = !answered.ok && (first === null || first.ok);
  const kind: ReplayClass = isFailed
    ? "failed"
    : differences.length > 0 || (first !== null && first.ok !== answered.ok)
      ? "different"
      : differing.size > 0
        ? "variesByItself"
        : "same";
  return {
    executionId,
    class: kind,
    differences: differences.slice(0, MAX_EXAMPLES),
    reason: isFailed ? answered.reason : null,
    currentMs: first?.ms ?? null,
    candidateMs: answered.ms,
    currentBytes: first?.bytes ?? null,
    candidateBytes: answered.bytes,
  };
}

async function callVersion(
  server: string,
  { args, executionId }: SampledCall,
  { tool, definition, actor, signal }: ReplayedTool,
  { mcp, execute }: ReplayPorts,
): Promise<Reply> {
  const envelope = await execute(definition.name, new CallArguments(args, toJsonText(args)), {
    source: "check",
    client: REPLAY_CLIENT,
    actor,
    signal,
    reason: `Replay of ${executionId}`,
    timeoutMs: CALL_MS,
    // The definition that clients know is checked already, and the candidate must be able to say no.
    skipValidation: true,
    whole: true,
    lens: null,
    provided: { definition, run: (given, context) => mcp.call(server, tool, given, context) },
  });
  const result = envelope.success ? envelope.result : (envelope.result ?? null);
  return {
    ok: envelope.success,
    result,
    reason: envelope.success ? null : envelope.error.slice(0, 500),
    ms: envelope.duration_ms ?? envelope.execution_time_ms,
    bytes: measure(result),
  };
}

function measure(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
