import { expect, it } from "vitest";
import { contentName, formatTitle, isContentName } from "./execution-kind";
import { TOOL_NAME_PATTERN } from "./tool-definition";

it("records reads under names that no tool can have", () => {
  for (const kind of ["resource", "prompt"] as const) {
    const name = contentName(kind, "files");
    expect(isContentName(name)).toBe(true);
    expect(TOOL_NAME_PATTERN.test(name)).toBe(false);
  }
  expect(isContentName("files__resources/read")).toBe(false);
});

it("titles a read by its URI or prompt, also where the stored arguments are cut or damaged", () => {
  const resource = { toolName: "files resources/read", implementationType: "resource" };
  const prompt = { toolName: "files prompts/get", implementationType: "prompt" };
  expect(formatTitle({ ...resource, argumentsPreview: '{"uri":"demo://a/\\"b\\""}' })).toBe('demo://a/"b"');
  expect(formatTitle({ ...resource, argumentsPreview: `{"uri":"demo://${"a".repeat(20)}` })).toBe(
    `demo://${"a".repeat(20)}…`,
  );
  expect(formatTitle({ ...resource, argumentsPreview: "[masked]" })).toBe("files resources/read");
  expect(formatTitle({ ...prompt, argumentsPreview: '{"name":"greet","arguments":{}}' })).toBe("files__greet");
  expect(formatTitle({ toolName: "echo", implementationType: "builtin", argumentsPreview: '{"uri":"x"}' })).toBe(
    "echo",
  );
});
