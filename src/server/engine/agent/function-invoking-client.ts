import type { ChatMessage, ChatResponse } from "../../../lib/contract/chat";
import type { ChatClient } from "./chat-ports";
import { invokeFunctions } from "./invocation-loop";
import type { FunctionInvokingChatClient, InvocationUpdate, InvokingChatOptions } from "./invocation-updates";

export type {
  FunctionInvocationOptions,
  FunctionInvokingChatClient,
  InvocationUpdate,
  InvokingChatOptions,
} from "./invocation-updates";

type ChatClientClass<Client extends ChatClient> = abstract new (...args: never[]) => Client;

/**
 * Decorates a class of chat clients: its objects then execute the calls that a model makes, tell the model what came of
 * them, and ask again until it has nothing more to call (AGT-07, AGT-08). Everything else of the class stays as it is.
 * Without `options.invocation`, or without tools, a conversation is passed on untouched.
 *
 * @example
 * const InvokingAnthropicClient = useFunctionInvocation(AnthropicClient);
 * const client = new InvokingAnthropicClient({ apiKey, baseUrl: null });
 * const response = await client.getResponse([{ role: "user", contents: [{ type: "text", text: "What is 12*7?" }] }], {
 *   model: "…",
 *   tools: registry.list(),
 *   invocation: { executor, find: (name) => registry.get(name) },
 * });
 */
export function useFunctionInvocation<Class extends ChatClientClass<ChatClient>>(
  Client: Class,
  defaults: Partial<InvokingChatOptions> = {},
): new (
  ...args: ConstructorParameters<Class>
) => Omit<InstanceType<Class>, keyof ChatClient> & FunctionInvokingChatClient {
  const bare = Client.prototype as ChatClient;
  const Base = Client as unknown as new (...args: unknown[]) => object;

  class FunctionInvokingClient extends Base implements FunctionInvokingChatClient {
    getResponse(messages: readonly ChatMessage[], options: InvokingChatOptions = {}): Promise<ChatResponse> {
      return buildResponse(this.#bare(), messages, { ...defaults, ...options });
    }

    getStreamingResponse(
      messages: readonly ChatMessage[],
      options: InvokingChatOptions = {},
    ): AsyncIterable<InvocationUpdate> {
      return createStream(this.#bare(), messages, { ...defaults, ...options });
    }

    /** This object as an instance of the original class. */
    #bare(): ChatClient {
      return {
        getResponse: (...args) => bare.getResponse.apply(this, args),
        getStreamingResponse: (...args) => bare.getStreamingResponse.apply(this, args),
      };
    }
  }
  return FunctionInvokingClient as unknown as ReturnType<typeof useFunctionInvocation<Class>>;
}

/** Adds function invocation to an existing client. */
export function withFunctionInvocation(client: ChatClient): FunctionInvokingChatClient {
  return {
    getResponse: (messages, options = {}) => buildResponse(client, messages, options),
    getStreamingResponse: (messages, options = {}) => createStream(client, messages, options),
  };
}

async function buildResponse(
  client: ChatClient,
  messages: readonly ChatMessage[],
  { invocation, ...options }: InvokingChatOptions,
): Promise<ChatResponse> {
  if (invocation === undefined) return await client.getResponse(messages, options);
  const ask = async function* (...asked: Parameters<ChatClient["getResponse"]>) {
    yield { type: "response", response: await client.getResponse(...asked) } as const;
  };
  for await (const update of invokeFunctions(ask, messages, { ...options, invocation })) {
    if (update.type === "response") return update.response;
  }
  throw new Error("The conversation ended without a response");
}

function createStream(
  client: ChatClient,
  messages: readonly ChatMessage[],
  { invocation, ...options }: InvokingChatOptions,
): AsyncIterable<InvocationUpdate> {
  if (invocation === undefined) return client.getStreamingResponse(messages, options);
  return invokeFunctions((...asked) => client.getStreamingResponse(...asked), messages, { ...options, invocation });
}
