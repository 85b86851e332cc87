import type { QualityNote } from "../../../lib/contract/catalog-tool";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import { PROVIDER_NAME_RULE } from "../../../lib/name-rule";
import { portableName } from "../../../lib/portable-name";
import { unsupportedByForm } from "../../../lib/schema/describe/form-support";
import type { Handlers } from "../../engine/ports";

const MAX_SCHEMA_NOTES = 3;
const known = new WeakMap<ToolDefinition, QualityNote[]>();

/**
 * Warnings about a tool's definition, for its author: none of them stops the tool.
 * @param schemaNotes what of its schema is not checked
 */
export function checkQuality(
  definition: ToolDefinition,
  handlers: { builtins: Handlers; internals: Handlers },
  schemaNotes: readonly SchemaNote[],
): QualityNote[] {
  return [...handlerNotes(definition, handlers), ...uncheckedNotes(definition, schemaNotes), ...textNotes(definition)];
}

function handlerNotes(
  { implementation }: ToolDefinition,
  handlers: { builtins: Handlers; internals: Handlers },
): QualityNote[] {
  if (implementation.type !== "builtin" && implementation.type !== "internal") return [];
  const available = implementation.type === "builtin" ? handlers.builtins : handlers.internals;
  if (Object.hasOwn(available, implementation.handler)) return [];
  const message = `No ${implementation.type} handler is called '${implementation.handler}': every call will fail`;
  return [{ code: "handler_missing", severity: "warning", message }];
}

/** In an own tool a person can correct the schema; a server's is as it is. */
function uncheckedNotes(definition: ToolDefinition, schemaNotes: readonly SchemaNote[]): QualityNote[] {
  const severity = getServerName(definition) === null ? "warning" : "info";
  const code = "schema_not_checked";
  const shown = schemaNotes.slice(0, MAX_SCHEMA_NOTES).map(({ message }) => ({ code, severity, message }) as const);
  const more = schemaNotes.length - shown.length;
  return more === 0 ? shown : [...shown, { code, severity, message: `${more} more of the schema are not checked` }];
}

/** Remembered by identity, since every list asks and a definition does not change. */
function textNotes(definition: ToolDefinition): QualityNote[] {
  const before = known.get(definition);
  if (before) return before;
  const notes: QualityNote[] = [];
  const { description, name, parameters } = definition;
  if (description.trim().length < 12) {
    notes.push({
      code: "description_short",
      severity: "info",
      message: "The description is too short for a model to choose this tool",
    });
  }
  if (portableName(name) !== name) {
    notes.push({ code: "name_not_portable", severity: "info", message: PROVIDER_NAME_RULE });
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
  if (Object.isFrozen(definition)) known.set(definition, notes);
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
