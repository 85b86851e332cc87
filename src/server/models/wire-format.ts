import type { ChatTool } from "../../lib/contract/chat";
import type { Provider } from "../../lib/contract/tool-definition";
import { PROVIDER_NAME_RULE } from "../../lib/name-rule";
import { conversionNotes } from "../../lib/schema/providers/conversion-notes";
import { schemaFor } from "../../lib/schema/providers/provider-schema";
import { toStrictSchema } from "../../lib/schema/providers/strict-schema";
import type { WireFormat, WireFormatName } from "../engine/agent/chat-ports";
import { prepareTurn } from "./chat-turn";
import { toolAliases } from "./tool-aliases";
import { VENDORS } from "./vendors";

/** Placeholders for values from a conversation. */
const MODEL = "<model>";
const MESSAGE = "<message>";

/** A tool exactly as a provider's client sends it, and every difference from its definition. */
export function wireFormat(format: WireFormatName, { name, description, parameters }: ChatTool): WireFormat {
  const provider: Provider = format === "openai-strict" ? "openai" : format;
  const tool: ChatTool = { name, description, parameters };
  const aliases = toolAliases([], [tool]);
  const vendor = VENDORS[provider];
  const notes = conversionNotes(provider, vendor.name ?? provider, parameters);
  const alias = aliases.getAlias(name);
  if (alias !== name) {
    notes.unshift(`The name is sent as ${alias}. ${PROVIDER_NAME_RULE}`);
  }
  const sent = vendor.toTool({ ...tool, name: alias });
  if (format !== "openai-strict") return { tool: sent, notes };
  const strict = toStrictSchema(schemaFor(provider, parameters));
  if (strict.schema === null) {
    const why = `Not possible in strict mode, so the tool is shown without: ${strict.reasons.join("; ")}.`;
    return { tool: sent, notes: [why, ...notes] };
  }
  return { tool: { ...sent, parameters: strict.schema, strict: true }, notes: [...strict.notes, ...notes] };
}

/** The body of the first request of a conversation that offers one tool, as the provider's client sends it. */
export function requestBody(
  format: WireFormatName,
  { name, description, parameters }: ChatTool,
  { model = MODEL, message = MESSAGE } = {},
): unknown {
  const provider: Provider = format === "openai-strict" ? "openai" : format;
  const turn = prepareTurn(
    [{ role: "user", contents: [{ type: "text", text: message }] }],
    { model, tools: [{ name, description, parameters }] },
    { streaming: true, host: "" },
  );
  const body = VENDORS[provider].toBody(turn, new Set());
  if (format !== "openai-strict") return body;
  return { ...body, tools: [wireFormat(format, { name, description, parameters }).tool] };
}
