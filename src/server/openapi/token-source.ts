import { isPlainObject } from "../../lib/contract/json";
import type { ServerAuth } from "../../lib/contract/server";
import { ToolFailure } from "../engine/failures";
import { expandClientSetting } from "../mcp/client/oauth/oauth-client-settings";
import type { OutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { sendRequest } from "./send-request";

type ClientCredentials = Extract<ServerAuth, { type: "client_credentials" }>;

export interface TokenSourceOptions {
  agents: OutgoingAgents;
  variables: Readonly<Record<string, string | undefined>>;
  now: () => number;
  /** Keeps a value out of logs. */
  onSecret(value: string): void;
}

const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
/** How long before its expiry a token is renewed. */
const MARGIN_MS = 30_000;
const DEFAULT_LIFE_MS = 3_600_000;

/** Access tokens by client credentials (RFC 6749, 4.4), kept in memory until they expire. */
export class TokenSource {
  readonly #settings: ClientCredentials;
  readonly #options: TokenSourceOptions;
  #token: { value: string; expiresAt: number } | null = null;
  /** Calls that start together share one request. */
  #request: Promise<string> | null = null;

  constructor(settings: ClientCredentials, options: TokenSourceOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** @throws ToolFailure `unavailable` */
  get(): Promise<string> {
    if (this.#token !== null && this.#token.expiresAt - MARGIN_MS > this.#options.now()) {
      return Promise.resolve(this.#token.value);
    }
    this.#request ??= this.#fetch().finally(() => {
      this.#request = null;
    });
    return this.#request;
  }

  /** The API refused a token. */
  discard(value: string): void {
    if (this.#token?.value === value) this.#token = null;
  }

  async #fetch(): Promise<string> {
    const { variables, now, onSecret } = this.#options;
    const { tokenUrl = "", scope } = this.#settings;
    const url = new URL(expandClientSetting("token URL", tokenUrl, variables));
    const id = expandClientSetting("OAuth client id", this.#settings.clientId, variables);
    const secret = expandClientSetting("OAuth client secret", this.#settings.clientSecret ?? "", variables);
    const form = { grant_type: "client_credentials", ...(scope ? { scope } : {}) };
    const basic = Buffer.from(`${encodeForm(id)}:${encodeForm(secret)}`).toString("base64");
    onSecret(basic);
    let { status, answer } = await this.#post(url, form, { authorization: `Basic ${basic}` });
    if (status === 400 || status === 401) {
      // Some authorization servers read the client's secret from the body only.
      ({ status, answer } = await this.#post(url, { ...form, client_id: id, client_secret: secret }, {}));
    }
    const token = answer.access_token;
    if (status < 200 || status > 299 || typeof token !== "string" || token === "") throw refusal(status, answer);
    onSecret(token);
    const life = typeof answer.expires_in === "number" ? answer.expires_in * 1000 : DEFAULT_LIFE_MS;
    this.#token = { value: token, expiresAt: now() + life };
    return token;
  }

  async #post(url: URL, form: Record<string, string>, headers: Record<string, string>) {
    const request = {
      url,
      method: "POST",
      headers: { ...headers, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status, body } = await sendRequest(request, null, {
      agents: this.#options.agents,
      maxBytes: MAX_BYTES,
      signal,
    });
    return { status, answer: parseObject(body.toString("utf8")) };
  }
}

/** Encodes a text as RFC 6749 demands before Basic authentication. */
const encodeForm = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isPlainObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function refusal(status: number, answer: Record<string, unknown>): ToolFailure {
  const said = [answer.error, answer.error_description].filter((text) => typeof text === "string").join(": ");
  const reason = said === "" ? "it sent no access token" : said.slice(0, 300);
  return new ToolFailure("unavailable", `The token URL refused the client credentials (${status}): ${reason}`);
}
