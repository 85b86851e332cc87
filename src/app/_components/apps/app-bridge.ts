import type { z } from "zod/mini";
import { toContextText } from "@/lib/apps/app-context";
import { Allowance, isBoundedJson } from "@/lib/apps/message-bounds";
import { APP_REQUESTS, type AppRequest, MAX_APP_CONTEXT_CHARS } from "@/lib/contract/app";
import {
  type AppMessage,
  callParams,
  contextParams,
  type DisplayMode,
  initializeParams,
  linkParams,
  logParams,
  messageParams,
  messageSchema,
  modeParams,
  readParams,
  sizeParams,
} from "./app-messages";

type Params = Record<string, unknown>;

/** The result of a call as its App receives it. */
export type AppOutcome = { result: Params } | { cancelled: string };

/** The functions that the page offers to an App. Everything that an App sends is untrusted. */
export interface AppHost {
  post(message: object): void;
  /** The capabilities in the answer to `ui/initialize`. */
  capabilities: Params;
  context(): Params;
  input: Params;
  outcome: AppOutcome;
  /** @returns the result of the tool; rejects with a message for the App */
  call(tool: string, args: Params): Promise<Params>;
  request(method: AppRequest, uri: string | undefined): Promise<Params>;
  /** Asks the user. @returns whether it was opened */
  openLink(url: string): Promise<boolean>;
  /** Asks the user; null where no message can be sent. */
  offerMessage: ((text: string) => Promise<boolean>) | null;
  /** Shows what goes with the user's next message; null where none is sent. Throws with a message for the App. */
  updateContext: ((text: string) => void) | null;
  /** @returns the mode that it has then */
  setMode(mode: DisplayMode): DisplayMode;
  setHeight(height: number): void;
  log(level: string, text: string): void;
  onClose(): void;
  /** The App broke a limit and must not run on. */
  onStop(reason: string): void;
  now(): number;
}

const HOST_INFO = { name: "Toolroom", version: "1" };
const VERSIONS = ["2026-01-26", "2025-11-21"] as const;
const [LATEST] = VERSIONS;
const MESSAGES = { burst: 300, perSecond: 60 };
const REQUESTS = { burst: 30, perSecond: 1 };
const MAX_OPEN = 4;
const MAX_MESSAGE_CHARS = 16_000;
const MAX_LOG_CHARS = 2_000;
const TEARDOWN_MS = 500;

const CODE = { unknown: -32601, invalid: -32602, refused: -32000 } as const;

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The host's side of the protocol of MCP Apps, for one frame. */
export class AppBridge {
  readonly #host: AppHost;
  readonly #messages: Allowance;
  readonly #requests: Allowance;
  #modes: readonly DisplayMode[] | null = null;
  #state: "new" | "asked" | "ready" | "ended" = "new";
  #open = 0;
  readonly #queue: (() => void)[] = [];
  /** Refuses the pending request to the user; null where there is none. */
  #declineRequest: (() => void) | null = null;
  #onTornDown: (() => void) | null = null;

  constructor(host: AppHost) {
    this.#host = host;
    this.#messages = new Allowance(MESSAGES.burst, MESSAGES.perSecond, host.now);
    this.#requests = new Allowance(REQUESTS.burst, REQUESTS.perSecond, host.now);
  }

  /** @param read gives the message; not called for an App that sends too many */
  receive(read: () => unknown): void {
    if (this.#state === "ended") return;
    const taken = this.#messages.take();
    const data = taken ? read() : null;
    if (!taken || !isBoundedJson(data)) {
      this.#stop(taken ? "it sent a message larger than 1 MB, or one that is not JSON" : "it sent too many messages");
      return;
    }
    const message = messageSchema.safeParse(data);
    // Other messages belong to the App itself, such as those of its libraries.
    if (!message.success) return;
    if (!("method" in message.data)) this.#onTornDown?.();
    else if ("id" in message.data) void this.#answer(message.data);
    else this.#hear(message.data.method, message.data.params ?? {});
  }

  /** Tells the App what changed around it. */
  changeContext(context: Params): void {
    if (this.#state === "ready") this.#notify("host-context-changed", context);
  }

  /** Whether the App can be shown in the mode; one that does not say can be in all. */
  supports(mode: DisplayMode): boolean {
    return this.#modes === null || this.#modes.includes(mode);
  }

  /** Lets the App end; resolves when it has, or after half a second. */
  async tearDown(): Promise<void> {
    if (this.#declineRequest !== null) {
      this.#declineRequest();
      // The refusal is sent first.
      await new Promise<void>((resolve) => setTimeout(resolve));
    }
    if (this.#state === "ready") {
      await new Promise<void>((resolve) => {
        this.#onTornDown = resolve;
        setTimeout(resolve, TEARDOWN_MS);
        this.#host.post({ jsonrpc: "2.0", id: 1, method: "ui/resource-teardown", params: {} });
      });
    }
    this.end();
  }

  end(): void {
    this.#state = "ended";
  }

  #stop(reason: string): void {
    this.end();
    this.#host.onStop(reason);
  }

  #notify(name: string, params: Params): void {
    this.#host.post({ jsonrpc: "2.0", method: `ui/notifications/${name}`, params });
  }

  async #answer({ id, method, params = {} }: Extract<AppMessage, { id: unknown; method: unknown }>): Promise<void> {
    let answer: object;
    try {
      answer = { result: await this.#handle(method, params) };
    } catch (error) {
      const code = error instanceof Refusal ? error.code : CODE.refused;
      answer = { error: { code, message: error instanceof Error ? error.message : "The request failed" } };
    }
    if (this.#state !== "ended") this.#host.post({ jsonrpc: "2.0", id, ...answer });
  }

  #handle(method: string, params: Params): Params | Promise<Params> {
    if (method === "ping") return {};
    if (method === "ui/initialize") return this.#initialize(params);
    if (this.#state === "new") throw new Refusal(CODE.refused, "Send ui/initialize first");
    if (method === "ui/request-display-mode") return { mode: this.#host.setMode(parse(modeParams, params).mode) };
    if (method === "ui/open-link") return this.#openLink(parse(linkParams, params).url);
    if (method === "ui/message") return this.#offerMessage(params);
    if (method === "ui/update-model-context") return this.#updateContext(params);
    if (method === "tools/call") {
      const { name, arguments: args = {} } = parse(callParams, params);
      return this.#bounded(() => this.#host.call(name, args));
    }
    const request = APP_REQUESTS.find((each) => each === method);
    if (request === undefined) throw new Refusal(CODE.unknown, `Toolroom does not answer ${method}`);
    const uri = request === "resources/read" ? parse(readParams, params).uri : undefined;
    return this.#bounded(() => this.#host.request(request, uri));
  }

  #initialize(params: Params): Params {
    const { protocolVersion, appCapabilities } = parse(initializeParams, params);
    this.#modes = appCapabilities?.availableDisplayModes ?? null;
    if (this.#state === "new") this.#state = "asked";
    return {
      protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? LATEST,
      hostInfo: HOST_INFO,
      hostCapabilities: this.#host.capabilities,
      hostContext: this.#host.context(),
    };
  }

  /** Limits requests that cost the server something: a few at a time, the others wait; an App that exceeds the queue is stopped. */
  async #bounded(run: () => Promise<Params>): Promise<Params> {
    if (!this.#requests.take()) {
      this.#stop("it called its server too often");
      throw new Refusal(CODE.refused, "Too many calls");
    }
    if (this.#open >= MAX_OPEN) await new Promise<void>((resolve) => this.#queue.push(resolve));
    if (this.#state === "ended") throw new Refusal(CODE.refused, "The App has ended");
    this.#open += 1;
    try {
      return await run();
    } finally {
      this.#open -= 1;
      this.#queue.shift()?.();
    }
  }

  async #openLink(url: string): Promise<Params> {
    const scheme = URL.canParse(url) ? new URL(url).protocol : "";
    if (scheme !== "https:" && scheme !== "http:") throw new Refusal(CODE.invalid, "Only http and https are opened");
    return this.#ask(() => this.#host.openLink(url), "The user did not open the link");
  }

  #offerMessage(params: Params): Promise<Params> {
    const { content } = parse(messageParams, params);
    const { offerMessage } = this.#host;
    if (offerMessage === null) throw new Refusal(CODE.refused, "Messages are taken in the Playground only");
    const text = [content]
      .flat()
      .flatMap(({ type, text: own }) => (type === "text" && own !== undefined ? [own] : []))
      .join("\n\n")
      .trim();
    if (text === "" || text.length > MAX_MESSAGE_CHARS) {
      throw new Refusal(CODE.invalid, `The message must have text, at most ${MAX_MESSAGE_CHARS} characters`);
    }
    return this.#ask(() => offerMessage(text), "The user did not take the message");
  }

  #updateContext(params: Params): Params {
    const { content = [], structuredContent } = parse(contextParams, params);
    const { updateContext } = this.#host;
    if (updateContext === null)
      throw new Refusal(CODE.refused, "Context for the model is taken in the Playground only");
    const texts = content.map(({ type, text }, at) => {
      if (type === "text" && text !== undefined) return text;
      const what = type === "text" ? "a text block without text" : `the type '${type.slice(0, 50)}'`;
      throw new Refusal(CODE.invalid, `params.content.${at}: ${what} is not supported. Send text or structuredContent`);
    });
    const text = toContextText(texts, structuredContent);
    if (text.length > MAX_APP_CONTEXT_CHARS) {
      const most = `at most ${MAX_APP_CONTEXT_CHARS} characters go with a message`;
      throw new Refusal(CODE.invalid, `The context has ${text.length} characters: ${most}`);
    }
    updateContext(text);
    return {};
  }

  /** Asks one question at a time, so that a user is not asked several in a row. */
  async #ask(ask: () => Promise<boolean>, refused: string): Promise<Params> {
    if (this.#declineRequest !== null) throw new Refusal(CODE.refused, "Another request waits for the user");
    const closing = new Promise<false>((resolve) => {
      this.#declineRequest = () => resolve(false);
    });
    try {
      if (await Promise.race([ask(), closing])) return {};
    } finally {
      this.#declineRequest = null;
    }
    throw new Refusal(CODE.refused, refused);
  }

  #hear(method: string, params: Params): void {
    if (method === "ui/notifications/initialized") this.#begin();
    else if (method === "ui/notifications/request-teardown") this.#host.onClose();
    else if (method === "ui/notifications/size-changed") {
      const { height } = sizeParams.safeParse(params).data ?? {};
      if (height !== undefined && Number.isFinite(height)) this.#host.setHeight(height);
    } else if (method === "notifications/message") {
      const line = logParams.safeParse(params).data;
      if (line === undefined) return;
      const text = typeof line.data === "string" ? line.data : JSON.stringify(line.data);
      this.#host.log(line.level, String(text).slice(0, MAX_LOG_CHARS));
    }
  }

  #begin(): void {
    if (this.#state !== "asked") return;
    this.#state = "ready";
    const { input, outcome } = this.#host;
    this.#notify("tool-input", { arguments: input });
    if ("result" in outcome) this.#notify("tool-result", outcome.result);
    else this.#notify("tool-cancelled", { reason: outcome.cancelled });
  }
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, params: Params): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(CODE.invalid, `params.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is invalid"}`);
}
