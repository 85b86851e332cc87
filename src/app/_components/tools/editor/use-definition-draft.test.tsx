// @vitest-environment happy-dom
import { act, renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { useDefinitionDraft } from "./use-definition-draft";

const TEXT = '{\n  "name": "a",\n  "x": 1.0,\n  "parameters": {\n    "type": "object"\n  }\n}';
const setup = () => renderHook(() => useDefinitionDraft(TEXT)).result;

describe("useDefinitionDraft", () => {
  it("is clean until something differs, and clean again when it is taken back", () => {
    const draft = setup();
    expect(draft.current.dirty).toBe(false);
    act(() => draft.current.set(["name"], "b"));
    expect(draft.current.dirty).toBe(true);
    act(() => draft.current.set(["name"], "a"));
    expect(draft.current).toMatchObject({ text: TEXT, dirty: false });
  });

  it("keeps a broken part as it was typed, and the definition at that part's last valid state", () => {
    const draft = setup();
    act(() => draft.current.setPart("parameters", '{ "type": "object", '));
    expect(draft.current.part("parameters")).toMatchObject({ text: '{ "type": "object", ' });
    expect(draft.current.part("parameters").fault).toContain("Invalid JSON");
    expect(draft.current.text).toBe(TEXT);
    expect(draft.current.dirty).toBe(true);
    expect(draft.current.brokenParts).toHaveLength(1);
    act(() => draft.current.replaceText(TEXT.replace('"a"', '"b"')));
    expect(draft.current.part("parameters").text).toBe('{ "type": "object", ');
  });

  it("puts a fixed part into the definition as it was typed", () => {
    const draft = setup();
    act(() => draft.current.setPart("parameters", '{"type":"object","maxProperties":1e1}'));
    expect(draft.current.brokenParts).toEqual([]);
    expect(draft.current.text).toContain('"parameters": {"type":"object","maxProperties":1e1}');
    expect(draft.current.text).toContain('"x": 1.0');
    act(() => draft.current.setPart("mockResponse", "null"));
    expect(JSON.parse(draft.current.text).implementation).toEqual({ mock_response: null });
  });

  it("shows a text that was written as a whole in its parts", () => {
    const draft = setup();
    act(() => draft.current.setPart("parameters", "{"));
    act(() => draft.current.setText('{"parameters": {"a": 1}}'));
    expect(draft.current.part("parameters")).toEqual({ text: '{"a": 1}', fault: null });
    act(() => draft.current.setText("{"));
    expect(draft.current.read.ok).toBe(false);
  });
});
