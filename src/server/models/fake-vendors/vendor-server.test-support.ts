import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../lib/contract/json";

/** A vendor's chat API on loopback, in its real wire format. */
export interface FakeVendor {
  /** The base URL for a client. */
  url: string;
  /** Adds answers, one a chat request; an unscripted request is answered with 418. */
  script(turns: VendorTurn[]): void;
  /** Chat requests and listings, in the order they came. */
  requests: VendorRequest[];
  /** Resolves when the client has closed a connection before its answer was over. */
  abandoned(): Promise<void>;
  close(): Promise<void>;
}

export interface VendorRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON; null where there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: five vendors' bodies; each subject knows its own.
  body: any;
}

export interface VendorUsage {
  /** Everything that was read, cached tokens included. */
  input: number;
  output: number;
  cached?: number;
}

/** The fake's answer to one request, in words that all vendors share. */
export type VendorTurn =
  /** `chunks` defaults to two halves of the text. */
  | { kind: "text"; text: string; chunks?: string[]; usage?: VendorUsage; reasoning?: string }
  /** `interleaved`: deltas of the calls alternate, where the vendor can do that. Arguments come in several deltas. */
  | {
      kind: "calls";
      calls: { name: string; args: JsonObject }[];
      text?: string;
      interleaved?: boolean;
      reasoning?: string;
      /** The provider's word for its end, in place of the one for calls. */
      ends?: string;
    }
  /** A finished call whose arguments are exactly this text, valid JSON or not. */
  | { kind: "raw_arguments"; name: string; argumentsText: string }
  /** The output limit was reached inside a call. */
  | { kind: "truncated_call"; name: string; argumentsText: string }
  /** The output limit was reached inside a text. */
  | { kind: "truncated_text"; text: string }
  /** An error in the vendor's form, before anything is streamed. */
  | { kind: "status"; status: number; message?: string; headers?: Record<string, string> }
  /** The connection breaks: at once for "", else inside the answer. */
  | { kind: "cut"; afterText: string }
  /** The answer begins and never goes on; without streaming nothing comes at all. */
  | { kind: "hang"; afterText: string }
  | { kind: "refusal" }
  /** The vendor's error for a prompt that does not fit. */
  | { kind: "context_length" }
  /** The stream says after this text that something broke; without streaming a status of 500 or above. */
  | { kind: "mid_stream_error"; afterText: string; message: string }
  /** A text that ends for a reason of the vendor's own, in its own word. */
  | { kind: "stop_reason"; reason: string; text: string }
  /** A tool call that this model cannot make, in the vendor's words for it. */
  | { kind: "no_tools" }
  /** 10 MiB on one line, after which the connection stays open. */
  | { kind: "flood"; contentType: string };

/** The bytes written to the wire, chunk by chunk with a pause between. */
export interface VendorAnswer {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  chunks: string[];
  /** Default `end`. `cut` destroys the socket, `hang` leaves it open. */
  ending?: "end" | "cut" | "hang";
}

/** One vendor's way to say a turn; pure, so that bodies can be typed with the vendor's own SDK. */
export interface VendorDialect {
  /** Appended to the server's origin, such as `/v1`. */
  basePath?: string;
  answer(turn: Exclude<VendorTurn, { kind: "flood" }>, request: VendorRequest): VendorAnswer;
  /** Answers a GET, or whatever else is no chat request; null for a chat request. */
  other(request: VendorRequest): VendorAnswer | null;
}

export async function startVendorServer(dialect: VendorDialect): Promise<FakeVendor> {
  const turns: VendorTurn[] = [];
  const requests: VendorRequest[] = [];
  let abandon = (): void => undefined;
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const server = createServer((incoming, response) => {
    void readRequest(incoming)
      .then((request) => {
        requests.push(request);
        const answer = buildAnswer(dialect, turns, request);
        response.on("close", () => {
          if (!response.writableFinished && answer.ending !== "cut") abandon();
        });
        return write(response, answer);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${dialect.basePath ?? ""}`,
    script: (more) => void turns.push(...more),
    requests,
    abandoned: () => abandoned,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A scripted status also answers what is no chat request, so that listings can fail too. */
function buildAnswer(dialect: VendorDialect, turns: VendorTurn[], request: VendorRequest): VendorAnswer {
  if (turns[0]?.kind !== "status") {
    const other = dialect.other(request);
    if (other) return other;
  }
  const turn = turns.shift();
  if (turn?.kind === "flood") {
    const chunks = Array.from({ length: 40 }, () => "x".repeat(256 * 1024));
    return { chunks, headers: { "content-type": turn.contentType }, ending: "hang" };
  }
  return turn
    ? dialect.answer(turn, request)
    : { status: 418, chunks: ['{"error":{"message":"nothing was scripted"}}'] };
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}

/** Chunks that are written together arrive together, which would hide faults of streaming. */
const CHUNK_GAP_MS = 3;

async function write(response: ServerResponse, answer: VendorAnswer): Promise<void> {
  const silent = answer.ending !== undefined && answer.ending !== "end" && answer.chunks.length === 0;
  if (!silent) {
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    for (const chunk of answer.chunks) {
      if (response.destroyed) return;
      response.write(chunk);
      await new Promise((resolve) => setTimeout(resolve, CHUNK_GAP_MS));
    }
  }
  if (answer.ending === "hang") return;
  if (answer.ending === "cut") response.destroy();
  else response.end();
}
