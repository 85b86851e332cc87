import { describe, expect, it, vi } from "vitest";
import { getKeptText } from "../../lib/json/known-text";
import { toToolResult } from "./call-operation";
import type { ApiOperation } from "./operation";

const answer = (body: string, wrap = false) =>
  toToolResult({ wrap } as ApiOperation, {
    url: new URL("http://127.0.0.1/value"),
    status: 200,
    statusText: "OK",
    headers: new Headers({ "content-type": "application/json" }),
    body: Buffer.from(body),
  });

const ROWS = Array.from({ length: 40_000 }, (_, index) => ({ index, text: `row "${index}" é`, list: [[], {}] }));

describe("a long answer of an API", () => {
  it.each([null, 2])(
    "has its text built in slices, equal to its value and to what was sent (indented by %s)",
    async (space) => {
      const body = JSON.stringify({ rows: ROWS }, null, space ?? undefined);
      let longest = 0;
      const native = JSON.stringify;
      const stringify = vi.spyOn(JSON, "stringify").mockImplementation((value: unknown) => {
        const text = native(value) as string | undefined;
        longest = Math.max(longest, text?.length ?? 0);
        return text as string;
      });
      const result = await answer(body).finally(() => stringify.mockRestore());
      // Serializing the whole value takes a microsecond for each of its parts.
      expect(longest).toBeLessThan(200_000);
      expect(result).toMatchObject({ content: [{ type: "text", text: body }], structuredContent: { rows: ROWS } });
      const kept = getKeptText(result) ?? "";
      expect(JSON.parse(kept)).toEqual(result);
      expect(kept).toContain(`"structuredContent":${JSON.stringify({ rows: ROWS })}`);
    },
  );

  it("keeps the digits of its numbers, and is wrapped where it is a list", async () => {
    const body = `[${Array.from({ length: 60_000 }, () => "9007199254740993 , 1.50").join()}]`;
    const result = await answer(body, true);
    const exact = `[${Array.from({ length: 60_000 }, () => "9007199254740993,1.50").join()}]`;
    expect(getKeptText(result)).toContain(`"structuredContent":{"result":${exact}}}`);
  });

  it("with more lists than are parsed is passed on as its text, and nothing is lost", async () => {
    const body = `[${Array.from({ length: 1_000_000 }, () => "[]").join()}]`;
    const result = await answer(body);
    expect(result.content).toEqual([{ type: "text", text: body }]);
    expect(result.structuredContent).toBeUndefined();
  });
});
