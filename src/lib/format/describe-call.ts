import { hasMask } from "../masked-value";

const MAX_CHARS = 80;

/** `get_weather Oslo, celsius`: the tool and its short arguments. */
export function describeCall(tool: string, args: Record<string, unknown>): string {
  const words = Object.values(args).flatMap((value) => {
    const isShort = typeof value === "number" || typeof value === "boolean" || typeof value === "string";
    const text = isShort ? String(value).replace(/\s+/g, " ").trim() : "";
    return text === "" || text.length > 40 || hasMask(text) ? [] : [text];
  });
  const name = `${tool} ${words.join(", ")}`.trim();
  return name.length > MAX_CHARS ? `${name.slice(0, MAX_CHARS - 1)}…` : name;
}
