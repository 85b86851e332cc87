import type { QualityNote, ToolDefinition } from "../../../lib/contract";
import { unsupportedByForm } from "../../../lib/json-schema/form-support";
import { portableName } from "../../../lib/portable-name";
import type { Handlers } from "../../engine/ports";

/** What a person should know of a tool before a model does: none of it stops the tool. */
export function qualityOf(
  definition: ToolDefinition,
  handlers: { builtins: Handlers; internals: Handlers },
): QualityNote[] {
  const notes: QualityNote[] = [];
  const { implementation, description, name, parameters } = definition;
  if (implementation.type === "builtin" || implementation.type === "internal") {
    const known = implementation.type === "builtin" ? handlers.builtins : handlers.internals;
    if (!Object.hasOwn(known, implementation.handler)) {
      notes.push({
        code: "handler_missing",
        severity: "warning",
        message: `No ${implementation.type} handler is called '${implementation.handler}': every call will fail`,
      });
    }
  }
  if (description.trim().length < 12) {
    notes.push({
      code: "description_short",
      severity: "info",
      message: "The description is too short for a model to choose by",
    });
  }
  if (portableName(name) !== name) {
    const message = "Some providers refuse this name (letters, digits, '_' and '-', at most 64): they get an alias";
    notes.push({ code: "name_not_portable", severity: "info", message });
  }
  const undescribed = undescribedParameters(parameters.properties);
  if (undescribed.length > 0) {
    const message = `Without a description: ${undescribed.slice(0, 5).join(", ")}${undescribed.length > 5 ? " …" : ""}`;
    notes.push({ code: "parameter_undescribed", severity: "info", message });
  }
  const [unsupported] = unsupportedByForm(parameters);
  if (unsupported) {
    const message = `The form shows ${unsupported.pointer || "the payload"} as JSON: ${unsupported.reason}`;
    notes.push({ code: "schema_unsupported_by_form", severity: "info", message });
  }
  return notes;
}

function undescribedParameters(properties: unknown): string[] {
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties)
    .filter(
      ([, schema]) =>
        typeof schema === "object" && schema !== null && !("description" in schema) && !("$ref" in schema),
    )
    .map(([name]) => name);
}
