import { randomUUID } from "node:crypto";
import { type ChatMessage, type ChatOptions, listCalls, readMessageText } from "../../lib/contract/chat";
import { ChatClientError } from "../engine/agent/chat-ports";
import { pairCalls } from "./pair-calls";
import { type ToolAliases, toolAliases } from "./tool-aliases";

/** One request for a response, in the form that every vendor's client builds its request from. */
export interface ChatTurn {
  model: string;
  /** The instructions, then the text of all system messages; null if both are empty. */
  system: string | null;
  /** Without system messages; each call is followed by its result. */
  messages: ChatMessage[];
  options: ChatOptions;
  aliases: ToolAliases;
  ids: CallIds;
  streaming: boolean;
  /** The host of the address that the request goes to. */
  host: string;
}

interface TurnSettings extends Pick<ChatTurn, "streaming" | "host"> {
  /** The vendor can hold a conversation, so with a `conversationId` results may answer calls that are not sent. */
  holdsConversations: boolean;
}

/** @throws ChatClientError if no model is named */
export function prepareTurn(
  messages: readonly ChatMessage[],
  options: ChatOptions,
  { streaming, host, holdsConversations }: TurnSettings,
): ChatTurn {
  const { model, conversationId } = options;
  if (model === undefined || model.trim() === "") {
    throw new ChatClientError("bad_request", "No model was chosen. Name one in `model`.");
  }
  const conversation = messages.filter(({ role }) => role !== "system");
  return {
    model,
    system: systemText(messages, options),
    messages: pairCalls(conversation, { callsHeld: holdsConversations && conversationId !== undefined }),
    options,
    aliases: toolAliases(messages, options.tools),
    ids: new CallIds(messages),
    streaming,
    host,
  };
}

function systemText(messages: readonly ChatMessage[], { instructions = "" }: ChatOptions): string | null {
  const system = messages.filter(({ role }) => role === "system").map(readMessageText);
  const text = [instructions, ...system].filter((part) => part.trim() !== "").join("\n\n");
  return text === "" ? null : text;
}

/** Gives each call of a response an id that is unique in the conversation: the provider's id if possible. */
export class CallIds {
  readonly #taken: Set<string>;

  constructor(messages: readonly ChatMessage[]) {
    this.#taken = new Set(messages.flatMap((message) => listCalls(message).map(({ callId }) => callId)));
  }

  take(vendorId?: string | null): string {
    const id = vendorId && !this.#taken.has(vendorId) ? vendorId : `call_${randomUUID().replaceAll("-", "")}`;
    this.#taken.add(id);
    return id;
  }
}
