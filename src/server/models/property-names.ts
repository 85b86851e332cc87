import type { ChatResponse, ChatTool, FunctionCallContent } from "../../lib/contract/chat";
import { toExactText } from "../../lib/json/exact-text";
import { isJsonText } from "../../lib/json/is-json-text";
import { renameKeys } from "../../lib/json/rename-keys";
import { reductionFor } from "../../lib/schema/providers/provider-schema";
import type { SchemaProvider } from "../../lib/schema/providers/schema-dialects";
import { isShallow } from "./vendor-arguments";

/** The names of properties in the arguments of calls: those that a provider is sent, and the tools' own. */
export class PropertyNames {
  readonly #kind: SchemaProvider | undefined;
  readonly #schemas: ReadonlyMap<string, ChatTool["parameters"]>;

  constructor(kind: SchemaProvider | undefined, tools: readonly ChatTool[]) {
    this.#kind = kind;
    this.#schemas = new Map(tools.map(({ name, parameters }) => [name, parameters]));
  }

  /** A call of the conversation in the form for the provider. */
  toSent(call: FunctionCallContent): FunctionCallContent {
    const names = this.#find(call);
    return names.size === 0 ? call : rename(call, new Map([...names].map(([alias, name]) => [name, alias])));
  }

  /** The response with the calls in the form for the tools. */
  restore(response: ChatResponse): ChatResponse {
    if (this.#kind === undefined) return response;
    const messages = response.messages.map(({ role, contents }) => ({
      role,
      contents: contents.map((content) =>
        content.type === "function_call" ? rename(content, this.#find(content)) : content,
      ),
    }));
    return { ...response, messages };
  }

  /** Alias → name; empty where the provider takes every name of the tool. */
  #find({ name }: FunctionCallContent): ReadonlyMap<string, string> {
    const schema = this.#schemas.get(name);
    return schema === undefined || this.#kind === undefined ? NONE : reductionFor(this.#kind, schema).names;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Text that is not JSON stays unchanged. */
function rename(call: FunctionCallContent, names: ReadonlyMap<string, string>): FunctionCallContent {
  const { arguments: given } = call;
  if (names.size === 0) return call;
  if (typeof given !== "string") {
    const text = isShallow(given) ? toExactText(given) : undefined;
    return text === undefined ? call : { ...call, arguments: renameKeys(text, names) };
  }
  return isJsonText(given) ? { ...call, arguments: renameKeys(given, names) } : call;
}
