import { CONNECT_CLIENTS } from "../../contract/client-configuration";
import { CHECKED_CLIENTS, type CheckedClient } from "../../contract/client-verdict";

const CHATGPT_NAMES = /^(chatgpt|openai[- ]mcp)\b/i;

/** The program behind the name that a client introduces itself with; null for one without known rules. */
export function findProgram(name: string): CheckedClient | null {
  if (CHATGPT_NAMES.test(name)) return "chatgpt";
  const program = CONNECT_CLIENTS.find(({ names }) => names?.test(name));
  return CHECKED_CLIENTS.find((each) => each === program?.id) ?? null;
}
