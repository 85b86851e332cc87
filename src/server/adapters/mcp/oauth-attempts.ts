import { createHash } from "node:crypto";
import { equalInConstantTime } from "./oauth-client-settings";
import type { CredentialFile, SignInAttempt } from "./oauth-credentials";

/** Sign-ins of one server that a person may have begun in several tabs, and how long each may take. */
const MAX_ATTEMPTS = 5;
const ATTEMPT_LIFE_MS = 3_600_000;

/**
 * The sign-ins that a person was sent off for: kept in the store until the callback, each with its own verifier and
 * address, so that a second one does not break the first. Which one is being finished is known to this process alone.
 */
export class SignInAttempts {
  /** The attempt whose callback arrived; the next exchange of a code is its. */
  #returned: SignInAttempt | null = null;
  #exchanging: SignInAttempt | null = null;
  #pendingUrl: string | null = null;
  /** Of authorizations that are being prepared; each finds its own by the challenge in its address. */
  #verifiers: string[] = [];

  constructor(
    readonly file: CredentialFile,
    readonly now: () => number,
  ) {}

  /** Where the person has to go; null when nobody is waited for. */
  get pendingUrl(): string | null {
    return this.#pendingUrl;
  }

  /** The attempt whose code is being exchanged. */
  get exchanging(): SignInAttempt | null {
    return this.#exchanging;
  }

  /** Whether the flow that runs is the end of a sign-in, not its start. */
  get finishing(): boolean {
    return this.#returned !== null || this.#exchanging !== null;
  }

  /** Another flow than the end of a sign-in began. */
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
   * Keeps the attempt that an authorization address belongs to.
   * @throws Error for an address that no browser should be sent to: it comes from the server
   */
  async add(url: URL): Promise<void> {
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Error(`The authorization server's sign-in page is no web address (${url.protocol})`);
    }
    const challenge = url.searchParams.get("code_challenge");
    const codeVerifier = this.#verifiers.find((verifier) => challengeOf(verifier) === challenge);
    const state = url.searchParams.get("state");
    const redirectUrl = url.searchParams.get("redirect_uri");
    if (codeVerifier === undefined || state === null || redirectUrl === null) {
      throw new Error(
        "The sign-in could not be prepared: its address lacks the code challenge, state or redirect address",
      );
    }
    this.#verifiers = this.#verifiers.filter((verifier) => verifier !== codeVerifier);
    const attempt: SignInAttempt = { state, codeVerifier, redirectUrl, startedAt: this.now() };
    await this.file.update((credentials) => {
      credentials.attempts = [...credentials.attempts.filter(this.#isAlive), attempt].slice(-MAX_ATTEMPTS);
    });
    this.#pendingUrl = url.href;
  }

  async matches(state: string | null): Promise<boolean> {
    if (state === null || state === "") return false;
    const { attempts } = await this.file.read();
    // All are compared, so that the time tells nothing of where a match would be.
    const found = attempts.filter((attempt) => equalInConstantTime(attempt.state, state)).find(this.#isAlive);
    if (found === undefined) return false;
    this.#returned = found;
    this.#exchanging = null;
    return true;
  }

  /**
   * The verifier of the attempt whose callback arrived. Its state is used up with it.
   * @throws Error when no callback with a known state arrived before
   */
  async takeVerifier(): Promise<string> {
    const attempt = this.#returned ?? this.#exchanging;
    if (attempt === null) {
      throw new Error("This sign-in was not begun here, took too long or was finished already: begin it again");
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

function challengeOf(codeVerifier: string): string {
  return createHash("sha256").update(codeVerifier).digest("base64url");
}
