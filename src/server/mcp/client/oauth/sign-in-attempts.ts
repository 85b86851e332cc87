import { createHash } from "node:crypto";
import { equalInConstantTime } from "./oauth-client-settings";
import type { CredentialFile, SignInAttempt } from "./oauth-credentials";

/** Pending sign-ins of one server, in several tabs, and how long each may take. */
const MAX_ATTEMPTS = 5;
const ATTEMPT_LIFE_MS = 3_600_000;

/**
 * Pending sign-ins of one server. Each is stored until its callback, with its own verifier and redirect URL, so that a
 * second one does not break the first. The one being finished is known to this process only.
 */
export class SignInAttempts {
  /** The attempt whose callback arrived; the next code exchange belongs to it. */
  #returned: SignInAttempt | null = null;
  #exchanging: SignInAttempt | null = null;
  #pendingUrl: string | null = null;
  /** The verifiers of authorization requests in preparation, found again by the challenge in their address. */
  #verifiers: string[] = [];

  constructor(
    readonly file: CredentialFile,
    readonly now: () => number,
    /** The console page of the user who starts a sign-in. */
    readonly currentReturnTo: () => string | null,
  ) {}

  /** The sign-in page to open; null when no sign-in is pending. */
  get pendingUrl(): string | null {
    return this.#pendingUrl;
  }

  /** The attempt whose code is being exchanged. */
  get exchanging(): SignInAttempt | null {
    return this.#exchanging;
  }

  /** The page where the user of the arrived callback started; null for the server's page. */
  get returnTo(): string | null {
    return this.#returned?.returnTo ?? null;
  }

  /** Whether the current flow finishes a sign-in instead of starting one. */
  get finishing(): boolean {
    return this.#returned !== null || this.#exchanging !== null;
  }

  /** Called when a flow other than finishing a sign-in starts. */
  beginOther(): void {
    this.#exchanging = null;
  }

  beginSignIn(): void {
    this.#returned = this.#exchanging = null;
  }

  addVerifier(codeVerifier: string): void {
    this.#verifiers = [...this.#verifiers, codeVerifier].slice(-MAX_ATTEMPTS);
  }

  /**
   * Stores the attempt that an authorization address belongs to.
   * @throws Error for an address that is unsafe to open, since it comes from the server
   */
  async add(url: URL): Promise<void> {
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Error(`The authorization server's sign-in page is not a web address (${url.protocol})`);
    }
    const challenge = url.searchParams.get("code_challenge");
    const codeVerifier = this.#verifiers.find((verifier) => computeChallenge(verifier) === challenge);
    const state = url.searchParams.get("state");
    const redirectUrl = url.searchParams.get("redirect_uri");
    if (codeVerifier === undefined || state === null || redirectUrl === null) {
      throw new Error(
        "The sign-in could not be prepared: its address lacks the code challenge, state or redirect address",
      );
    }
    this.#verifiers = this.#verifiers.filter((verifier) => verifier !== codeVerifier);
    const returnTo = this.currentReturnTo();
    const attempt: SignInAttempt = {
      state,
      codeVerifier,
      redirectUrl,
      ...(returnTo === null ? {} : { returnTo }),
      scope: url.searchParams.get("scope") ?? "",
      startedAt: this.now(),
    };
    await this.file.update((credentials) => {
      credentials.attempts = [...credentials.attempts.filter(this.#isAlive), attempt].slice(-MAX_ATTEMPTS);
    });
    this.#pendingUrl = url.href;
  }

  async matches(state: string | null): Promise<boolean> {
    if (state === null || state === "") return false;
    const { attempts } = await this.file.read();
    // Compares all, so that timing does not reveal the position of a match.
    const found = attempts.filter((attempt) => equalInConstantTime(attempt.state, state)).find(this.#isAlive);
    if (found === undefined) return false;
    this.#returned = found;
    this.#exchanging = null;
    return true;
  }

  /**
   * The verifier of the attempt whose callback arrived; its state becomes invalid.
   * @throws Error when no callback with a known state arrived before
   */
  async takeVerifier(): Promise<string> {
    const attempt = this.#returned ?? this.#exchanging;
    if (attempt === null) {
      throw new Error("This sign-in is unknown, has expired or is already complete: start it again");
    }
    this.#returned = null;
    this.#exchanging = attempt;
    await this.file.update((credentials) => {
      credentials.attempts = credentials.attempts.filter(({ state }) => state !== attempt.state);
    });
    return attempt.codeVerifier;
  }

  forget(): void {
    this.#returned = this.#exchanging = this.#pendingUrl = null;
    this.#verifiers = [];
  }

  #isAlive = ({ startedAt }: SignInAttempt): boolean => this.now() - startedAt < ATTEMPT_LIFE_MS;
}

function computeChallenge(codeVerifier: string): string {
  return createHash("sha256").update(codeVerifier).digest("base64url");
}
