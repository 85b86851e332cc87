import type { ChatTool } from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import type { ChatTurn } from "../chat-turn";
import type { PartRule } from "../refused-parts";
import type { ModelPage } from "../vendor";

/** Does not match a value out of range: that error goes to the user who chose it. */
export const TEMPERATURE: PartRule = {
  pattern:
    /temperature\b.*(not support|unsupported|only the default|deprecated|not allowed)|unsupported.*\btemperature/i,
  always: true,
};
export const LONG_DESCRIPTIONS: PartRule = {
  pattern: /description.*(too long|maximum length)|string_above_max_length/i,
  always: true,
};

const MAX_DESCRIPTION_CHARS = 1024;
const MAX_MODELS = 2000;
/** Kinds of models that do not chat, by the names that vendors give them. */
const NO_CHAT =
  /embed|whisper|\btts\b|transcribe|moderation|dall-e|image|sora|realtime|audio|rerank|davinci|babbage|-instruct-0914|guard/i;

/** The tools of a request, without the parts that the server refuses. */
export function toTools<Tool, Choice>(
  { tools, toolChoice, options }: ChatTurn,
  without: ReadonlySet<string>,
  toTool: (tool: ChatTool) => Tool,
  toChoice: (name: string) => Choice,
) {
  if (tools.length === 0) return {};
  const maxChars = without.has("long_descriptions") ? MAX_DESCRIPTION_CHARS : undefined;
  return {
    tools: tools.map((tool) => toTool({ ...tool, description: tool.description.slice(0, maxChars) })),
    tool_choice: typeof toolChoice === "string" ? toolChoice : toChoice(toolChoice.name),
    parallel_tool_calls: options.parallelToolCalls === false && !without.has("parallel") ? false : undefined,
  };
}

/** Sorted. Takes `{ data }`, `{ models }` and a bare list. */
export function readModels(body: unknown): ModelPage {
  const object: Record<string, unknown> = isPlainObject(body) ? body : {};
  const list = [body, object.data, object.models].find((each) => Array.isArray(each));
  if (!Array.isArray(list)) throw new SyntaxError("no list of models");
  const names = list.slice(0, MAX_MODELS).map((model: unknown) => {
    if (typeof model === "string") return model;
    return isPlainObject(model) ? (model.id ?? model.name) : null;
  });
  const usable = names.filter((name): name is string => typeof name === "string" && name !== "" && !NO_CHAT.test(name));
  return { names: [...new Set(usable)].sort() };
}
