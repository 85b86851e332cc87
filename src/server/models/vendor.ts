import type { ChatResponse, ChatResponseUpdate, ChatTool } from "../../lib/contract/chat";
import type { SchemaProvider } from "../../lib/schema/providers/schema-dialects";
import type { ChatTurn } from "./chat-turn";
import type { PartRule } from "./refused-parts";

/** One vendor's chat API on the wire: where a request goes, what it holds, and how its response is read. */
export interface Vendor {
  /** The name for users; the host of the address if absent. */
  readonly name?: string;
  /** The vendor's address; empty if it has none. */
  readonly address: string;
  /** The path for an address without one, such as `/v1`. */
  readonly path?: string;
  /** The end of an address that users paste and that the paths below repeat, such as a version. */
  readonly pastedPath?: RegExp;
  /** Headers that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False where the first byte of a response may take any time, as of a local server that loads its model. */
  readonly timesOut?: boolean;
  /** The provider keeps conversations: with a `conversationId`, only new messages are sent. */
  readonly holdsConversations?: boolean;
  /** Parts of a request that a model may refuse, tested in this order. */
  readonly parts?: Readonly<Record<string, PartRule>>;
  /** The form of a stream. Default: server-sent events. */
  readonly streams?: "lines";
  /** Names the form of the schemas that the API takes. */
  readonly schemas: SchemaProvider;
  /** The path of the list of models. */
  readonly modelsPath: string;

  /** The header that holds the key. Default: `Authorization`, as a bearer token. */
  readonly keyHeader?: string;
  /** The types of media that a user's messages and results may hold. Default: common images. */
  readonly media?: RegExp;
  toPath(turn: ChatTurn): string;
  /** @param without the parts to omit */
  toBody(turn: ChatTurn, without: ReadonlySet<string>): object;
  /** One tool as it is sent; the tool's page shows the same. */
  toTool(tool: ChatTool): object;
  createReader(turn: ReaderTurn): ResponseReader;
  /** Models that can chat. @throws SyntaxError for another form of body */
  readModels(body: unknown): ModelPage;
}

/** The facts of the request that a reader needs. */
export type ReaderTurn = Pick<ChatTurn, "calls" | "options" | "streaming" | "host">;

/** Builds one response from a single body, or from the events of a stream. */
export interface ResponseReader {
  /** Whether the response is complete enough: an error that follows is ignored. */
  readonly isUsable?: boolean;
  /** Whether the response is complete: the rest of the stream is not read. */
  readonly isComplete?: boolean;
  /** @param part parsed JSON that reports no error */
  read(part: unknown): Iterable<ChatResponseUpdate>;
  /** @throws IncompleteResponseError if the stream ended before the response did */
  finish(): ChatResponse;
}

export interface ModelPage {
  names: string[];
  /** Added to `modelsPath` for the next page. */
  nextQuery?: string | undefined;
}
