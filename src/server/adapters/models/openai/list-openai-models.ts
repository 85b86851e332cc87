import type OpenAI from "openai";
import { isPlainObject } from "../../../../lib/contract";

const MAX_MODELS = 2000;
/** Kinds of models that do not chat, by the names that vendors give them. */
const NO_CHAT =
  /embed|whisper|\btts\b|transcribe|moderation|dall-e|image|sora|realtime|audio|rerank|davinci|babbage|-instruct-0914|guard/i;

/** Names of models that chat, sorted. Takes `{ data }`, `{ models }` and a bare list. @throws SyntaxError for others */
export async function listOpenAIModels(sdk: OpenAI, signal: AbortSignal | undefined): Promise<string[]> {
  const body: unknown = await sdk.get("/models", { ...(signal && { signal }) });
  const object: Record<string, unknown> = isPlainObject(body) ? body : {};
  const list = [body, object.data, object.models].find((each) => Array.isArray(each));
  if (!Array.isArray(list)) throw new SyntaxError("no list of models");
  const names = list.slice(0, MAX_MODELS).map((model: unknown) => {
    if (typeof model === "string") return model;
    return isPlainObject(model) ? (model.id ?? model.name) : null;
  });
  const usable = names.filter((name): name is string => typeof name === "string" && name !== "" && !NO_CHAT.test(name));
  return [...new Set(usable)].sort();
}
