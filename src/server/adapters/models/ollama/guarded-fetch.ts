import { isPlainObject } from "../../../../lib/contract";
import { AnswerCutError } from "../vendor-fault";
import { vendorFetch } from "../vendor-fetch";

/** Of an error's body nothing further is read. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** Ollama answered with an error: at once, or as a line of its stream. */
export class OllamaAnswerError extends Error {
  override readonly name = "OllamaAnswerError";
  constructor(
    message: string,
    readonly status?: number,
    readonly headers?: Headers,
  ) {
    super(message);
  }
}

/**
 * A `fetch` for one request, since the vendor's client takes no signal with a request. Errors are thrown from here, and a
 * stream's lines are checked here: the client would write what it does not understand to the console.
 */
export function guardedFetch(signal: AbortSignal, authorization: string | null): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // The client takes a key of the environment for the vendor's own address.
    headers.delete("authorization");
    if (authorization !== null) headers.set("authorization", authorization);
    const response = await vendorFetch(input, { ...init, headers, signal });
    if (!response.ok) throw await answerError(response);
    if (!isStream(init) || !response.body) return response;
    const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(checkedLines());
    return new Response(lines.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
}

function isStream(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"stream":true');
}

/** Whole lines of JSON objects; errors for an error line, for what is no JSON, and for a stream without its last line. */
function checkedLines(): TransformStream<string, string> {
  let open = "";
  let done = false;
  const check = (line: string): string => {
    if (line.trim() === "") return "";
    const parsed: unknown = JSON.parse(line);
    if (!isPlainObject(parsed)) throw new SyntaxError("a line is no object");
    if (parsed.error !== undefined) throw new OllamaAnswerError(wordsIn(parsed.error));
    done = done || parsed.done === true;
    return `${line}\n`;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (open + chunk).split("\n");
      open = lines.pop() ?? "";
      if (open.length > MAX_LINE_CHARS) throw new SyntaxError("a line is too long");
      const checked = lines.map(check).join("");
      if (checked !== "") controller.enqueue(checked);
    },
    flush(controller) {
      // What is left of a broken line says that the stream was cut.
      if (done) return;
      try {
        const last = check(open);
        if (done) return controller.enqueue(last);
      } catch (error) {
        if (error instanceof OllamaAnswerError) throw error;
      }
      throw new AnswerCutError();
    },
  });
}

async function answerError(response: Response): Promise<OllamaAnswerError> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  const text = Buffer.concat(parts).toString("utf8");
  let message = text.trim() === "" ? response.statusText : text;
  try {
    const body: unknown = JSON.parse(text);
    if (isPlainObject(body) && body.error !== undefined) message = wordsIn(body.error);
  } catch {
    // A proxy's page: its text is all there is.
  }
  return new OllamaAnswerError(message, response.status, response.headers);
}

function wordsIn(error: unknown): string {
  if (typeof error === "string") return error;
  return isPlainObject(error) && typeof error.message === "string" ? error.message : JSON.stringify(error);
}
