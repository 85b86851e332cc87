import type { ToolDetail } from "../../../lib/contract/catalog-tool";
import { listFields } from "../../../lib/schema/list-fields";
import type { CommandPart } from "../../platform/api/operation-command";

/** A tool's facts and fields. */
export function describeTool(tool: ToolDetail): CommandPart[] {
  const { destructiveHint, readOnlyHint } = tool.annotations;
  const facts: CommandPart = {
    facts: [
      ["Name", tool.name],
      ["Title", tool.title],
      ["Description", tool.description],
      ["Server", tool.server],
      ["State", tool.enabled ? "on" : "off"],
      ["Effect", readOnlyHint ? "read-only" : destructiveHint ? "destructive" : null],
    ],
  };
  const fields = listFields(tool.definition.parameters);
  if (fields.length === 0) return [facts, { lines: ["", "It takes no fields."] }];
  const rows = fields.map(({ name, type, required, description }) => [
    `--${name}`,
    type,
    required ? "required" : "",
    description,
  ]);
  return [facts, { lines: [""] }, { head: ["FIELD", "TYPE", "", "DESCRIPTION"], rows }];
}
