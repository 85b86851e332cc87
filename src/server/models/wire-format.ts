import type { ChatTool } from "../../lib/contract/chat";
import type { Provider } from "../../lib/contract/tool-definition";
import { PROVIDER_NAME_RULE } from "../../lib/name-rule";
import { conversionNotes } from "../../lib/schema/providers/conversion-notes";
import type { WireFormat } from "../engine/agent/chat-ports";
import { prepareTurn } from "./chat-turn";
import { toolAliases } from "./tool-aliases";
import { VENDORS } from "./vendors";

/** Stand for what a conversation fills in. */
const MODEL = "<model>";
const MESSAGE = "<message>";

/** A tool exactly as a provider's client sends it, and every difference from its definition. */
export function wireFormat(provider: Provider, { name, description, parameters }: ChatTool): WireFormat {
  const tool: ChatTool = { name, description, parameters };
  const aliases = toolAliases([], [tool]);
  const vendor = VENDORS[provider];
  const notes = conversionNotes(provider, vendor.name ?? provider, parameters);
  const alias = aliases.getAlias(name);
  if (alias !== name) {
    notes.unshift(`The name is sent as ${alias}. ${PROVIDER_NAME_RULE}`);
  }
  return { tool: vendor.toTool({ ...tool, name: alias }), notes };
}

/** The body of the first request of a conversation that offers one tool, as the provider's client sends it. */
export function requestBody(
  provider: Provider,
  { name, description, parameters }: ChatTool,
  { model = MODEL, message = MESSAGE } = {},
): unknown {
  const turn = prepareTurn(
    [{ role: "user", contents: [{ type: "text", text: message }] }],
    { model, tools: [{ name, description, parameters }] },
    { streaming: true, host: "" },
  );
  return VENDORS[provider].toBody(turn, new Set());
}
