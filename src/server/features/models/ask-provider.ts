import { readMessageText } from "../../../lib/contract/chat";
import { getMessage } from "../../../lib/get-message";
import type { ModelConnection } from "../../engine/agent/chat-ports";
import { withinLimit } from "../../platform/shared/within-limit";
import type { ListedModels } from "./available-models";
import type { KnownProvider } from "./known-provider";

const ANSWER_LIMIT_MS = 30_000;
/** Models that think first need room before they say a word. */
const MAX_OUTPUT_TOKENS = 1024;
const MAX_MESSAGE_CHARS = 600;

export interface ProviderTest {
  ok: boolean;
  /** For people. */
  message: string;
  models: string[];
}

/** Whether a provider answers: its list of models, or where it has none a word of its first model. */
export async function testConnection(
  provider: KnownProvider,
  connection: ModelConnection,
  list: () => Promise<ListedModels>,
): Promise<ProviderTest> {
  const { models, problem } = await list();
  if (models.length > 0) {
    const count = models.length === 1 ? "1 model" : `${models.length} models`;
    return { ok: true, message: `Connected: ${count}`, models };
  }
  const [model] = provider.models;
  if (model === undefined) {
    const message = problem ?? "Connected, but the provider lists no models. Enter model names under Models.";
    return { ok: false, message: shown(message, provider), models: [] };
  }
  try {
    const messages = [
      { role: "user" as const, contents: [{ type: "text" as const, text: "Answer with the word: ready" }] },
    ];
    const options = { model, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const response = await withinLimit(
      (signal) => connection.getResponse(messages, { ...options, signal }),
      ANSWER_LIMIT_MS,
    );
    const said = response.messages.map(readMessageText).join(" ").trim();
    const message = said === "" ? `${model} answers, without a text.` : `${model} answers: “${said.slice(0, 100)}”.`;
    return { ok: true, message: shown(message, provider), models: [] };
  } catch (error) {
    const listing = problem === null ? "" : ` Its list of models: ${problem}`;
    return {
      ok: false,
      message: shown(`${model} does not answer: ${getMessage(error)}${listing}`, provider),
      models: [],
    };
  }
}

/** A vendor may repeat what it was sent: the key stays here. */
export function shown(message: string, { apiKey }: KnownProvider): string {
  const text = apiKey !== null && apiKey.length >= 4 ? message.replaceAll(apiKey, "•••") : message;
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
}
