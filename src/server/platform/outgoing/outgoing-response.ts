import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** A response whose body is decompressed. */
export interface OutgoingResponse extends Readable {
  readonly statusCode?: number | undefined;
  readonly statusMessage?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The whole body was received. */
  readonly complete: boolean;
}

type MakeDecoder = (firstByte: number) => Transform;

/** The first byte of zlib's format ends with its method. */
const ZLIB = 8;
/** `deflate` is in zlib's format, or without its header as some servers send it. */
const inflate: MakeDecoder = (firstByte) => ((firstByte & 0x0f) === ZLIB ? createInflate() : createInflateRaw());
const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["br", () => createBrotliDecompress()],
  ["deflate", inflate],
]);
/** Any other name (servers write `utf-8` and `none`) does not describe the bytes. */
const UNDECODED: ReadonlySet<string> = new Set(["zstd", "compress", "x-compress", "dcb", "dcz"]);
const MAX_LAYERS = 3;
const BODY_HEADERS: ReadonlySet<string> = new Set(["content-encoding", "content-length"]);

export const ACCEPT_ENCODING = "gzip, deflate, br";
/** The code of a body that cannot be decoded. */
export const UNDECODABLE = "ERR_CONTENT_ENCODING";

/**
 * The response itself where it is not compressed. Readers limit what they read, so what a body grows to is limited too.
 * @throws Error for a compression that was not asked for
 */
export function decodeResponse(message: IncomingMessage): OutgoingResponse {
  const written = message.headers["content-encoding"];
  if (written === undefined) return message;
  const names = written
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => DECODERS.has(name) || UNDECODED.has(name));
  const unknown = names.find((name) => UNDECODED.has(name));
  if (unknown !== undefined) {
    throw toUndecodable(`the answer is compressed as '${unknown}', which was not asked for`);
  }
  if (names.length > MAX_LAYERS) throw toUndecodable("the answer is compressed in too many layers");
  return names.length === 0 ? message : new DecodedResponse(message, names);
}

class DecodedResponse extends Readable implements OutgoingResponse {
  readonly statusCode: number | undefined;
  readonly statusMessage: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly #message: IncomingMessage;
  readonly #names: readonly string[];
  #decoders: readonly Transform[] = [];

  /** @param names from the first that was applied to the last */
  constructor(message: IncomingMessage, names: readonly string[]) {
    super();
    const { statusCode, statusMessage, rawHeaders } = message;
    this.#message = message;
    this.#names = names;
    this.statusCode = statusCode;
    this.statusMessage = statusMessage;
    this.rawHeaders = rawHeaders.filter((_, at) => !BODY_HEADERS.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
    this.headers = Object.fromEntries(Object.entries(message.headers).filter(([name]) => !BODY_HEADERS.has(name)));
    message.on("error", (error) => this.destroy(error));
    // The first bytes decide about the decoder, and a body without any needs none.
    message.once("readable", () => this.#begin());
  }

  get complete(): boolean {
    return this.readableEnded;
  }

  override _read(): void {
    this.#decoders.at(-1)?.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#message.destroy(error ?? undefined);
    for (const decoder of this.#decoders) decoder.destroy();
    // Like IncomingMessage, a response without a reader reports no error.
    done(this.listenerCount("error") > 0 ? error : null);
  }

  #begin(): void {
    const first = this.#message.read() as Buffer | null;
    if (first === null) {
      this.push(null);
      return;
    }
    this.#message.unshift(first);
    // Only the first bytes of the outermost layer are known.
    const decoders = this.#names
      .toReversed()
      .flatMap((name, layer) => DECODERS.get(name)?.(layer === 0 ? (first[0] ?? 0) : ZLIB) ?? []);
    this.#decoders = decoders;
    let source: Readable = this.#message;
    for (const decoder of decoders) {
      decoder.on("error", (error) => this.destroy(this.#describe(error)));
      source = source.pipe(decoder);
    }
    source.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) source.pause();
    });
    source.on("end", () => this.push(null));
  }

  #describe(error: NodeJS.ErrnoException): Error {
    if (!/^(?:Z_|ERR__|ERR_BROTLI)/.test(error.code ?? "")) return error;
    return toUndecodable(`the answer is not the ${this.#names.join(", ")} that its Content-Encoding says`, error);
  }
}

const toUndecodable = (message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code: UNDECODABLE });
