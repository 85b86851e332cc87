import { expect, it } from "vitest";
import type { ToolContext } from "../engine/ports";
import { provideAgentTool } from "./agent-tool-services";

const definition = { name: "toolroom__list_servers" } as Parameters<typeof provideAgentTool>[1]["definition"];
const stored = { toolName: definition.name, definition, actor: { id: "ada", name: "Ada" }, tokenId: null };

const provide = (isServed: boolean) =>
  provideAgentTool(
    {
      endpoint: {
        isServed: () => isServed,
        listTools: () => [{ name: "list_servers", definition }],
        explainRefusal: () => "A server is named 'toolroom' and keeps the address",
      },
      runner: { provide: () => ({ definition, run: async () => "listed" }) },
    } as unknown as Parameters<typeof provideAgentTool>[0],
    stored,
  );

it("an approved call of one of Toolroom's own tools never runs a tool of a server that took its name since", async () => {
  const context = {} as ToolContext;
  expect(await provide(true).run({}, context)).toBe("listed");
  await expect(provide(false).run({}, context)).rejects.toThrow(/A server is named 'toolroom'/);
});
