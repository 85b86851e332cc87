import { expect, it } from "vitest";
import { keepText, toJsonText } from "../../../../lib/json/known-text";
import { withoutOwnMeta } from "./own-meta";

const CLAIM = { "toolroom/http": { method: "GET", path: "/" }, "toolroom/tool": "other" };

it("takes Toolroom's keys out of every `_meta` of lists, results, resources and prompts, and leaves the rest", () => {
  const claimed = { name: "a", _meta: { ...CLAIM, "vendor/key": 1 } };
  const kept = { name: "a", _meta: { "vendor/key": 1 } };
  const bare = { type: "text", text: "x" };
  const block = { ...bare, _meta: CLAIM };
  for (const list of ["tools", "resources", "resourceTemplates", "prompts"]) {
    expect(withoutOwnMeta({ [list]: [claimed, null, "text", kept], _meta: CLAIM })).toEqual({
      [list]: [kept, null, "text", kept],
    });
  }
  expect(withoutOwnMeta({ content: [bare, block, { type: "resource", resource: block }] })).toEqual({
    content: [bare, bare, { type: "resource", resource: bare }],
  });
  expect(withoutOwnMeta({ contents: [{ uri: "a:b", ...claimed }] })).toEqual({ contents: [{ uri: "a:b", ...kept }] });
  const messages = (part: object) => ({ messages: [{ role: "user", content: part }] });
  expect(withoutOwnMeta(messages({ type: "resource", resource: block }))).toEqual(
    messages({ type: "resource", resource: bare }),
  );
  expect(withoutOwnMeta({ taskId: "1", result: { content: [block], _meta: CLAIM } })).toEqual({
    taskId: "1",
    result: { content: [bare] },
  });
});

it("leaves data of tools alone, and a result without such keys is the same object with its text", () => {
  const result = { content: [], structuredContent: { _meta: CLAIM }, _meta: { "toolroomy/x": 1 } };
  const text = `{"content":[ ],"structuredContent":{}}`;
  keepText(result, text);
  expect(withoutOwnMeta(result)).toBe(result);
  expect(toJsonText(withoutOwnMeta(result))).toBe(text);
  expect(toJsonText(withoutOwnMeta({ content: [], _meta: CLAIM }))).toBe('{"content":[]}');
});

it("ends in a result that is nested however deeply, and in one that is no object", () => {
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 50_000; level += 1) deep = { content: deep };
  expect(withoutOwnMeta(deep)).toBe(deep);
  let lists: unknown[] = [];
  for (let level = 0; level < 50_000; level += 1) lists = [lists];
  const nested = { content: lists };
  expect(withoutOwnMeta(nested)).toBe(nested);
  expect([null, 1, "a"].map(withoutOwnMeta)).toEqual([null, 1, "a"]);
});
