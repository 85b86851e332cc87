import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExactParts, toExactText, toMemberText } from "../../../lib/json/exact-text";
import type { ProvidedTool } from "../agent/run-starter";
import { cutAtChars } from "../executor/output-limits";
import { ToolFailure } from "../failures";
import type { ToolFunction } from "../ports";
import type { LensProjector } from "./lens-ports";

export const READ_RESULT = "read_result";

const DEFAULT_CHARS = 10_000;
const MAX_CHARS = 20_000;
/** Characters reserved for the line that says where the rest begins. */
const NOTE_CHARS = 500;

const DEFINITION: ToolDefinition = {
  type: "function",
  name: READ_RESULT,
  handler: READ_RESULT,
  description:
    "Reads a result of an earlier call that was reduced or cut, without calling the tool again. The call's result names its execution_id.",
  parameters: {
    type: "object",
    properties: {
      execution_id: { type: "string", description: "As the reduced or cut result names it." },
      pointer: { type: "string", description: 'JSON pointer to a part of the result: "/items/0". Absent: all of it.' },
      offset: { type: "integer", minimum: 0, default: 0, description: "Where to begin, in characters." },
      limit: { type: "integer", minimum: 1, maximum: MAX_CHARS, default: DEFAULT_CHARS, description: "Characters." },
    },
    required: ["execution_id"],
  },
  implementation: { type: "function" },
  annotations: { readOnlyHint: true },
  max_model_chars: MAX_CHARS + NOTE_CHARS,
};

/** The facts of an earlier call that `read_result` needs. */
export interface ReadableResult {
  /** The data of the result; a text where it is not JSON, or where only its beginning is stored. */
  data: unknown;
  /** Whether only the beginning is stored. */
  truncated: boolean;
  /** Whether only some users may read the earlier call, and so this one, which repeats its result. */
  isPrivate?: boolean;
}

/** Returns the stored part of a result, for reading. */
export function toReadable(
  stored: { resultText: string | null; resultTruncated: boolean; implementationType: string | null },
  toData: LensProjector["toData"],
): ReadableResult | null {
  const { resultText, resultTruncated, implementationType } = stored;
  if (resultText === null) return null;
  if (resultTruncated) return { data: resultText, truncated: true };
  const result = parseExactParts(resultText);
  return { data: toData({ result, resultText, fromServer: implementationType === "mcp" }) ?? result, truncated: false };
}

/** @param find null for an id that the caller may not read */
export function createReadResult(find: (executionId: string) => Promise<ReadableResult | null>): ProvidedTool {
  return { definition: DEFINITION, run: (args, context) => read(args, find, context) };
}

/** The text that tells a model how to read the rest of a result. */
export function describeReadResult(executionId: string): string {
  return `[This is a part of the result. ${READ_RESULT} with execution_id "${executionId}" reads the whole.]`;
}

async function read(
  args: Record<string, unknown>,
  find: (executionId: string) => Promise<ReadableResult | null>,
  context: Parameters<ToolFunction>[1],
): Promise<string> {
  const {
    execution_id: id,
    pointer = "",
    offset = 0,
    limit = DEFAULT_CHARS,
  } = args as {
    execution_id: string;
    pointer?: string;
    offset?: number;
    limit?: number;
  };
  const found = await find(id);
  if (found === null) {
    throw new ToolFailure("tool_error", `There is no result '${id}' here: use an execution_id that a result names`);
  }
  if (found.isPrivate) context.usePersonalCredential?.();
  const text = pointer === "" ? toText(found.data) : textAt(found.data, pointer);
  const piece = cutAtChars(text.slice(offset), limit).text;
  const end = offset + piece.length;
  const total = text.length.toLocaleString("en-US");
  if (end < text.length) return `${piece}\n[Characters ${offset} to ${end} of ${total}. Continue with offset ${end}.]`;
  return found.truncated ? `${piece}\n[Only the first ${total} characters of the result are stored.]` : piece;
}

/** @throws ToolFailure that says where the path ends */
function textAt(data: unknown, pointer: string): string {
  let part = data;
  let text = "";
  for (const token of pointer.replace(/^\//, "").split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) {
      throw new ToolFailure("tool_error", `pointer: there is no '${key.slice(0, 100)}' in this result`);
    }
    text = toMemberText(part, key) ?? "null";
    part = (part as Record<string, unknown>)[key];
  }
  return typeof part === "string" ? part : text;
}

const toText = (data: unknown): string => (typeof data === "string" ? data : (toExactText(data) ?? "null"));
