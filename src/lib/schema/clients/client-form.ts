import type { CheckedClient } from "../../contract/client-verdict";
import type { JsonSchema } from "../../contract/json";
import { reductionFor } from "../providers/provider-schema";
import type { SchemaProvider } from "../providers/schema-dialects";

/** The dialect whose reduction a client passes on whole. Programs that use models of several vendors get what all of them take. */
const FORMS: Readonly<Record<CheckedClient, SchemaProvider>> = {
  "claude-code": "anthropic",
  "claude-desktop": "anthropic",
  chatgpt: "openai",
  cursor: "openai-compatible",
  vscode: "openai-compatible",
  gemini: "gemini",
  // Its own types have the keywords of Ollama's.
  codex: "ollama",
  opencode: "openai-compatible",
  goose: "openai-compatible",
  zed: "openai-compatible",
  windsurf: "openai-compatible",
  lmstudio: "openai-compatible",
  "anthropic-api": "anthropic",
  "openai-api": "openai",
  "openai-strict": "openai",
  "gemini-api": "gemini",
  "ollama-api": "ollama",
};

/**
 * Parameters as a client reads them whole: what it would refuse or drop is written in another way, or as a sentence of the
 * description. The names of parameters stay, since calls come with them.
 */
export const toClientForm = (client: CheckedClient, schema: JsonSchema): JsonSchema =>
  reductionFor(FORMS[client], schema).unrenamed;
