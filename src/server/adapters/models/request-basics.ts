import { type ChatMessage, type ChatOptions, textOfMessage } from "../../../lib/contract";
import { ChatClientError } from "../../engine/chat-ports";

/** @throws ChatClientError where no model is named */
export function requireModel({ model }: ChatOptions): string {
  if (model === undefined || model.trim() === "") {
    throw new ChatClientError("bad_request", "No model was chosen. Name one in `model`.");
  }
  return model;
}

/** The instructions, then the text of all system messages; null where there is nothing. */
export function systemText(messages: readonly ChatMessage[], { instructions }: ChatOptions): string | null {
  const system = messages.filter(({ role }) => role === "system").map(textOfMessage);
  const text = [instructions ?? "", ...system].filter((part) => part.trim() !== "").join("\n\n");
  return text === "" ? null : text;
}

/** An address without the version that a vendor's client adds by itself. */
export function withoutVersion(url: string, version: string): string {
  return url.endsWith(`/${version}`) ? url.slice(0, -version.length - 1) : url;
}
