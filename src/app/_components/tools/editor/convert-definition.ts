import { readToolFormat } from "@/lib/schema/providers/read-tool-format";
import { rawAt, readDefinition, setRaw, setValue } from "./definition-text";

/** Longer texts are no single tool, and reading them would stall the page. */
const MAX_CHARS = 1_000_000;

export interface ConvertedDefinition {
  text: string;
  /** Says what was converted. */
  message: string;
}

/**
 * A pasted tool of OpenAI, Ollama, Anthropic, Gemini or MCP as a definition; what runs stays as it was.
 * @param text the definition so far
 * @returns null where the pasted text is no such tool
 */
export function convertDefinition(text: string, pasted: string): ConvertedDefinition | null {
  const tool = readPasted(pasted);
  if (tool === null) return null;
  const schema = (tool.path && rawAt(pasted, tool.path)) ?? JSON.stringify(tool.parameters, null, 2);
  let next = readDefinition(text).ok ? text : "{}";
  for (const key of ["title", "annotations", "outputSchema"]) next = setValue(next, [key], tool.extra[key]);
  next = setValue(setValue(next, ["name"], tool.name), ["description"], tool.description);
  for (const [key, value] of MISSING) if (!hasKey(next, key)) next = setValue(next, [key], value);
  return { text: setRaw(next, ["parameters"], schema), message: describeConversion(tool) };
}

const MISSING: readonly [string, unknown][] = [
  ["type", "function"],
  ["handler", "mock"],
  ["implementation", { type: "mock", mock_response: { ok: true } }],
];

function hasKey(text: string, key: string): boolean {
  const read = readDefinition(text);
  return read.ok && Object.hasOwn(read.value, key);
}

type ForeignTool = NonNullable<ReturnType<typeof readToolFormat>>;

function readPasted(pasted: string): ForeignTool | null {
  if (pasted.length > MAX_CHARS || !/^\s*[{[]/.test(pasted)) return null;
  try {
    return readToolFormat(JSON.parse(pasted));
  } catch {
    return null;
  }
}

function describeConversion({ format, name, extra, dropped, others }: ForeignTool): string {
  const taken = ["name", "description", "parameters", ...Object.keys(extra)];
  const last = taken.pop();
  return [
    `Converted ${name} from ${/^[AEIOM]/.test(format) ? "an" : "a"} ${format}: ${taken.join(", ")} and ${last}.`,
    dropped.length > 0 && `Left out: ${dropped.join(", ")}.`,
    others > 0 && `The text holds ${others} more ${others === 1 ? "tool" : "tools"}: paste each one on its own.`,
  ]
    .filter((part) => part !== false)
    .join(" ");
}
