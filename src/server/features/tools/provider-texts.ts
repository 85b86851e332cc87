import { PROVIDERS, type ToolDefinition, type ToolFormat } from "../../../lib/contract/tool-definition";
import { PROVIDER_NAME_RULE } from "../../../lib/name-rule";
import { aliasesByName, portableName } from "../../../lib/portable-name";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { ToRequestBody, ToWireFormat } from "../../engine/agent/chat-ports";
import { findServedChanges, listTool } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";

export interface ProviderText {
  format: ToolFormat;
  /** The tool alone. */
  text: string;
  /** The request in which a model provider gets it; the response in which an MCP client does. */
  bodyText: string;
  notes: string[];
}

export interface ProviderFormats {
  wireFormat: ToWireFormat;
  requestBody: ToRequestBody;
}

/** A tool exactly as each model provider and MCP client is sent it, and what is lost on the way. */
export async function providerTexts(definition: ToolDefinition, formats: ProviderFormats): Promise<ProviderText[]> {
  const texts: ProviderText[] = [];
  const offered = toChatTool(definition);
  // A large schema takes a provider some 50 ms; other work gets a turn between them.
  const slice = new TimeSlice();
  for (const provider of PROVIDERS) {
    const { tool, notes } = formats.wireFormat(provider, offered);
    await slice.pause();
    const body = formats.requestBody(provider, offered);
    await slice.pause();
    texts.push({ format: provider, text: toText(tool), bodyText: toText(body), notes });
  }
  return [...texts, mcpText(definition)];
}

function mcpText(definition: ToolDefinition): ProviderText {
  const { name } = definition;
  const alias = aliasesByName([name]).get(name) ?? name;
  const tool = listTool(definition, alias, portableName);
  return {
    format: "mcp",
    text: toText(tool),
    bodyText: toText({ jsonrpc: "2.0", id: 1, result: { tools: [tool] } }),
    notes: [
      ...(alias === name ? [] : [`The name is sent as ${alias}. ${PROVIDER_NAME_RULE}`]),
      ...findServedChanges(definition).map(({ message }) => message),
    ],
  };
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2);
