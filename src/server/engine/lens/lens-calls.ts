import type { CallOutcome, CallSuccess } from "../executor/call-outcome";
import type { RunningCall } from "../executor/running-call";
import { textOfProjection, withProjection } from "./apply-lens";
import type { FindLens, LensProjector, Projection } from "./lens-ports";

export interface Lenses {
  find: FindLens;
  projector: LensProjector;
}

/**
 * The sources whose results go to a model or an MCP client; users and programs of the REST API receive the whole
 * result.
 */
const PROJECTED_SOURCES: ReadonlySet<string> = new Set(["agent", "gateway", "background"]);

/** A success with what the caller receives of it, where the tool has a lens. A lens that fails gives the whole result. */
export function applyLens(
  { find, projector }: Lenses,
  call: RunningCall,
  outcome: CallOutcome,
): CallOutcome | Promise<CallOutcome> {
  const { provided, whole, lens: override } = call.options;
  if (!outcome.success || whole === true || provided !== undefined || !PROJECTED_SOURCES.has(call.source)) {
    return outcome;
  }
  const lens = override === undefined ? find(call.state.route?.tool ?? call.toolName) : override;
  if (lens === null) return outcome;
  const { expression } = lens;
  const { result, resultText } = outcome;
  const fromServer = call.definition?.implementation.type === "mcp";
  const conclude = (projection: Projection): CallSuccess => toOutcome(outcome, expression, projection);
  const projection = projector.project(expression, { result, resultText, fromServer });
  return projection instanceof Promise ? projection.then(conclude) : conclude(projection);
}

function toOutcome(outcome: CallSuccess, expression: string, projection: Projection): CallSuccess {
  if ("none" in projection) return outcome;
  if ("fault" in projection) return { ...outcome, lens: { expression, fault: projection.fault } };
  const { result } = outcome;
  const projected = { result: withProjection(result, projection), chars: textOfProjection(result, projection).length };
  return { ...outcome, lens: { expression, fault: null }, projected };
}
