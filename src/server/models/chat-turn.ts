import { randomUUID } from "node:crypto";
import {
  type ChatContent,
  type ChatMessage,
  type ChatOptions,
  type ChatTool,
  type FunctionCallContent,
  listCalls,
  type MediaContent,
  readMessageText,
  type TextContent,
  type ToolChoice,
} from "../../lib/contract/chat";
import { portableName } from "../../lib/portable-name";
import type { SchemaProvider } from "../../lib/schema/providers/schema-dialects";
import { ChatClientError } from "../engine/agent/chat-ports";
import { pairCalls } from "./pair-calls";
import { PropertyNames } from "./property-names";
import { type ToolAliases, toolAliases } from "./tool-aliases";
import { readArguments } from "./vendor-arguments";

/** One request for a response, in the form that every vendor's client builds its request from. */
export interface ChatTurn {
  model: string;
  /** The instructions, then the text of all system messages; null if both are empty. */
  system: string | null;
  /**
   * The messages without system messages; each call is followed by its result. Names and ids of calls are valid for
   * every vendor; media that the vendor does not support become a text that says so.
   */
  messages: ChatMessage[];
  /** Tools by the names in the messages; so is `toolChoice`. */
  tools: readonly ChatTool[];
  toolChoice: ToolChoice;
  options: Omit<ChatOptions, "tools" | "toolChoice">;
  /** The calls of the response. */
  calls: NewCalls;
  properties: PropertyNames;
  streaming: boolean;
  /** The host of the address that the request goes to. */
  host: string;
}

interface TurnSettings extends Pick<ChatTurn, "streaming" | "host"> {
  /** The vendor can hold a conversation, so with a `conversationId` results may answer calls that are not sent. */
  holdsConversations?: boolean | undefined;
  /** The types of media that messages and results may hold. */
  media?: RegExp | undefined;
  /** Whose property names are valid for a provider; absent: properties keep their names. */
  schemas?: SchemaProvider | undefined;
}

/** Types that every vendor with images accepts. */
export const COMMON_IMAGES = /^image\/(?:png|jpeg|gif|webp)$/;
export const IMAGES_AND_PDF = /^image\/(?:png|jpeg|gif|webp)$|^application\/pdf$/;

/** @throws ChatClientError if no model is named */
export function prepareTurn(
  messages: readonly ChatMessage[],
  options: ChatOptions,
  { streaming, host, holdsConversations = false, media = COMMON_IMAGES, schemas }: TurnSettings,
): ChatTurn {
  const { model, conversationId, tools = [], toolChoice = "auto" } = options;
  if (model === undefined || model.trim() === "") {
    throw new ChatClientError("bad_request", "No model was chosen. Name one in `model`.");
  }
  const conversation = messages.filter(({ role }) => role !== "system");
  const paired = pairCalls(conversation, { callsHeld: holdsConversations && conversationId !== undefined });
  const aliases = toolAliases(messages, tools);
  const properties = new PropertyNames(schemas, tools);
  const withAlias = <T extends { name: string }>(named: T): T => ({ ...named, name: aliases.getAlias(named.name) });
  const toSent = (content: ChatContent, fromModel: boolean): ChatContent => {
    switch (content.type) {
      case "media":
        return fromModel ? toText(content) : replaceMedia(content, media);
      case "function_call":
        return withAlias({ ...properties.toSent(content), callId: portableName(content.callId) });
      case "function_result": {
        const items = content.items?.map((item) => (item.type === "media" ? replaceMedia(item, media) : item));
        return withAlias({ ...content, callId: portableName(content.callId), items });
      }
      default:
        return content;
    }
  };
  return {
    model,
    system: systemText(messages, options),
    messages: paired.map(({ role, contents }) => ({
      role,
      contents: contents.map((content) => toSent(content, role === "assistant")),
    })),
    tools: tools.map(withAlias),
    toolChoice: typeof toolChoice === "string" ? toolChoice : withAlias(toolChoice),
    options,
    calls: new NewCalls(messages, aliases.getName),
    properties,
    streaming,
    host,
  };
}

/** Media whose data was not stored cannot be sent either. */
function replaceMedia(media: MediaContent, accepted: RegExp): MediaContent | TextContent {
  return media.data !== "" && accepted.test(media.mimeType) ? media : toText(media);
}

/** The text that a model reads in place of media. */
export function toText({ kind, mimeType, bytes }: MediaContent): TextContent {
  return { type: "text", text: `[${kind} ${mimeType}, ${bytes} bytes: left out]` };
}

function systemText(messages: readonly ChatMessage[], { instructions = "" }: ChatOptions): string | null {
  const system = messages.filter(({ role }) => role === "system").map(readMessageText);
  const text = [instructions, ...system].filter((part) => part.trim() !== "").join("\n\n");
  return text === "" ? null : text;
}

/** Gives each call of a response its tool's own name, and an id that is unique in the conversation: the provider's if possible. */
export class NewCalls {
  readonly #taken: Set<string>;

  constructor(
    messages: readonly ChatMessage[],
    readonly getName: ToolAliases["getName"],
  ) {
    this.#taken = new Set(messages.flatMap((message) => listCalls(message).map(({ callId }) => callId)));
  }

  open(vendorId: unknown, alias: unknown): Pick<FunctionCallContent, "callId" | "name"> {
    const id = typeof vendorId === "string" ? vendorId : null;
    return { callId: this.takeId(id), name: this.getName(typeof alias === "string" ? alias : "") };
  }

  /** A call that came as a whole, its arguments as text or as an object. */
  read(vendorId: unknown, alias: unknown, written: unknown): FunctionCallContent {
    return { type: "function_call", ...this.open(vendorId, alias), arguments: readArguments(written) };
  }

  takeId(vendorId?: string | null): string {
    const id = vendorId && !this.#taken.has(vendorId) ? vendorId : `call_${randomUUID().replaceAll("-", "")}`;
    this.#taken.add(id);
    return id;
  }
}
