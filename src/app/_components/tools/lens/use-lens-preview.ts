import { useEffect, useReducer } from "react";
import { client } from "@/app/_trpc/client";
import { type LensRow, MAX_PREVIEW_ROWS } from "@/lib/contract/lens";
import { getMessage } from "@/lib/get-message";

const AFTER_LAST_KEY_MS = 300;

export interface LensPreview {
  /** The expression of the rows. */
  expression: string;
  rows: LensRow[];
  status: "running" | "done" | "stopped";
  /** The problem of the expression, or why the server did not answer. */
  problem: string | null;
}

type Change = Partial<LensPreview> & Pick<LensPreview, "expression">;

const EMPTY: LensPreview = { expression: "", rows: [], status: "running", problem: null };

/**
 * What an expression leaves of the newest stored results, page by page, once the typing pauses. A new expression cancels the
 * preview of the one before.
 * @param stopped the user wants no more pages
 */
export function useLensPreview(name: string, expression: string, stopped: boolean): LensPreview {
  const [preview, change] = useReducer(
    (before: LensPreview, next: Change): LensPreview =>
      next.expression === before.expression ? { ...before, ...next } : { ...EMPTY, ...next },
    EMPTY,
  );

  // Outside system: the server, which evaluates the expression.
  useEffect(() => {
    if (stopped) {
      change({ expression, status: "stopped" });
      return;
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const read = async (): Promise<void> => {
      const rows: LensRow[] = [];
      change({ expression, rows, status: "running", problem: null });
      for (let cursor: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof client.lenses.preview.mutate>> = await client.lenses.preview.mutate(
          { name, expression, cursor: cursor ?? undefined },
          { signal },
        );
        if (signal.aborted) return;
        rows.push(...page.items);
        cursor = page.nextCursor;
        const done = cursor === null || rows.length >= MAX_PREVIEW_ROWS;
        const shown = rows.slice(0, MAX_PREVIEW_ROWS);
        change({ expression, rows: shown, status: done ? "done" : "running" });
        if (done) return;
      }
    };
    const timer = setTimeout(() => {
      read().catch((error: unknown) => {
        const problem = getMessage(error).replace(/^expression: /, "");
        if (!signal.aborted) change({ expression, rows: [], status: "done", problem });
      });
    }, AFTER_LAST_KEY_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [name, expression, stopped]);

  return preview;
}
