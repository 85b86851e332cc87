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

describe("the text of an answer", () => {
  const read = async (type: string, body: Buffer) => {
    const headers = new Headers(type === "" ? {} : { "content-type": type });
    const url = new URL("http://127.0.0.1/value");
    return toToolResult({ wrap: false } as ApiOperation, { url, status: 200, statusText: "OK", headers, body });
  };
  const swap = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

  it.each([
    ["text/plain; charset=ISO-8859-1", Buffer.from("Größe", "latin1")],
    ["text/csv;charset=latin1", Buffer.from("Größe", "latin1")],
    ['text/html; charset="windows-1252"', Buffer.from("Größe", "latin1")],
    ["text/plain; charset=utf-16le", Buffer.from("Größe", "utf16le")],
    ["text/plain; charset=utf-16", Buffer.from("\uFEFFGröße", "utf16le")],
    ["text/plain; charset=utf-16be", swap("Größe")],
    ["text/plain", swap("\uFEFFGröße")],
    ["text/plain", Buffer.from("\uFEFFGröße")],
    ["text/plain; charset=latin1", Buffer.from("\uFEFFGröße")],
    ["text/plain; charset=unheard-of", Buffer.from("Größe")],
    ["", Buffer.from("\uFEFFGröße", "utf16le")],
  ])("is decoded with the type '%s'", async (type, body) => {
    expect((await read(type, body)).content).toEqual([{ type: "text", text: "Größe" }]);
  });

  it("is read as JSON in its charset", async () => {
    const { structuredContent } = await read(
      "application/json; charset=utf-16",
      Buffer.from('\uFEFF{"a":"ö"}', "utf16le"),
    );
    expect(structuredContent).toEqual({ a: "ö" });
  });

  it.each([
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/json-seq",
  ])("is shown for lines of JSON (%s)", async (type) => {
    const text = '{"a":1}\n{"a":2}\n';
    const result = await read(type, Buffer.from(text));
    expect(result.content).toEqual([{ type: "text", text }]);
    expect(result.structuredContent).toBeUndefined();
  });
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
