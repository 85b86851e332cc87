import type { LensExample, LensFailures, LensPreviewPage, LensRow } from "../../../lib/contract/lens";
import { estimateTokens } from "../../../lib/estimate-tokens";
import { utf8Bytes } from "../../../lib/utf8-bytes";
import { isToolCallResult, textOfToolResult } from "../../engine/executor/tool-call-result";
import { textOfProjection } from "../../engine/lens/apply-lens";
import type { LensProjector, Projection } from "../../engine/lens/lens-ports";
import { AppError } from "../../platform/shared/app-error";
import type { LensSample, LensStore } from "./lens-store";

export type LensService = ReturnType<typeof createLensService>;

/** The calls of one page: a preview of 500 results is several pages, so that it can be cancelled and nothing waits for it. */
const PAGE_CALLS = 50;
const PAGE_BYTES = 8_000_000;
const PAGE_MS = 400;

interface LensServicePorts {
  store: LensStore;
  projector: LensProjector;
  /** @throws AppError NOT_FOUND */
  assertTool(name: string): void;
}

/** Previews expressions on stored results. Nothing is changed. */
export function createLensService({ store, projector, assertTool }: LensServicePorts) {
  function check(expression: string): void {
    const problem = projector.check(expression);
    if (problem !== null) {
      throw new AppError("INVALID", `expression: ${problem}`, [{ path: "expression", message: problem }]);
    }
  }

  async function evaluate(expression: string, executionId: string, signal: AbortSignal | undefined) {
    const stored = await store.result(executionId);
    if (stored === null) throw new AppError("NOT_FOUND", `Execution '${executionId}' has no whole result`);
    const input = { ...stored, result: JSON.parse(stored.resultText) as unknown };
    const options = { preview: true, ...(signal === undefined ? {} : { signal }) };
    return { input, projection: await projector.project(expression, input, options) };
  }

  return {
    /**
     * One page of a preview, newest results first.
     * @param cursor `nextCursor` of the page before
     * @param findHidden which of these executions the reader must not learn anything of: sizes of what an expression
     * selects would answer any question about a result
     * @throws AppError INVALID for an expression that cannot be used
     */
    async preview(
      toolName: string,
      expression: string,
      cursor: number | null,
      signal?: AbortSignal,
      findHidden?: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
    ): Promise<LensPreviewPage> {
      assertTool(toolName);
      check(expression);
      const { samples: found, last } = await store.samples(toolName, cursor ?? Number.MAX_SAFE_INTEGER, PAGE_CALLS);
      const hidden = await findHidden?.(found.map(({ id }) => id));
      const samples = found.filter(({ id }) => hidden?.has(id) !== true);
      const until = performance.now() + PAGE_MS;
      const rows: LensRow[] = [];
      let bytes = 0;
      for (const sample of samples) {
        if (
          signal?.aborted ||
          performance.now() > until ||
          (rows.length > 0 && bytes + sample.storedBytes > PAGE_BYTES)
        ) {
          const before = samples[rows.length - 1];
          return { items: rows, nextCursor: before?.seq ?? cursor };
        }
        bytes += sample.storedBytes;
        const { input, projection } = await evaluate(expression, sample.id, signal);
        rows.push(toRow(sample, input.result, projection));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { items: rows, nextCursor: last };
    },

    /** Returns the result of an expression on one stored result, as JSON texts or plain ones. */
    async example(executionId: string, expression: string, signal?: AbortSignal): Promise<LensExample> {
      check(expression);
      const { input, projection } = await evaluate(expression, executionId, signal);
      const data = projector.toData(input);
      const before = data === undefined ? input.resultText : JSON.stringify(data);
      if ("text" in projection) return { before, after: projection.text, fault: null };
      return {
        before,
        after: null,
        fault: "fault" in projection ? projection.fault : "The result has no data to select",
      };
    },

    async failures(toolName: string): Promise<LensFailures> {
      assertTool(toolName);
      return await store.failures(toolName);
    },
  };
}

function toRow({ id, queuedAt }: LensSample, result: unknown, projection: Projection): LensRow {
  const before = textOfResult(result);
  const after = "text" in projection ? textOfProjection(result, projection) : before;
  return {
    executionId: id,
    queuedAt,
    beforeBytes: utf8Bytes(before),
    afterBytes: utf8Bytes(after),
    beforeTokens: estimateTokens(before.length),
    afterTokens: estimateTokens(after.length),
    fault: "fault" in projection ? projection.fault : null,
  };
}

function textOfResult(result: unknown): string {
  if (isToolCallResult(result)) return textOfToolResult(result);
  return typeof result === "string" ? result : JSON.stringify(result);
}
