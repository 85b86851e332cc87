import type { InteractionAnswer } from "../../../../lib/contract/interaction";
import { ToolFailure } from "../../../engine/failures";
import type { OpenSignInPage } from "../../../engine/mcp-ports";
import type { CallerRequest, InteractionHandler, ToolContext } from "../../../engine/ports";
import { createEvent } from "../../../platform/shared/event";

interface AskedSignIn {
  server: string;
  context: ToolContext;
  openPage: OpenSignInPage;
  /** Whether the user can call the server now. Rejects for a fault that no sign-in fixes. */
  isConnected: () => Promise<boolean>;
  /** Calls `listener` when credentials of the user have changed. @returns the function that ends it */
  onChange: (listener: () => void) => () => void;
}

export interface SignInAskPorts {
  /** The address or path of the page on which a user connects. */
  getPage(server: string): string;
  /** A page for the caller of a call without its user's credential; absent: callers are not asked. */
  openSignInPage?: OpenSignInPage;
}

/** Calls without their user's credential: refused, or continued once their user has connected. */
export class SignInAsks {
  readonly #changed = createEvent<[person: string | undefined]>();
  readonly #failures = new WeakSet<object>();

  constructor(private readonly ports: SignInAskPorts) {}

  /** The failure of a call that works once its user has connected. @param need what is missing, where that is no account */
  toFailure(server: string, need = `Connect your account for '${server}' first`): ToolFailure {
    const page = this.ports.getPage(server);
    const failure = new ToolFailure("sign_in_needed", `${need}: ${page}`);
    this.#failures.add(failure);
    return failure;
  }

  /** @param user the user whose credentials changed; undefined if they may be any user's */
  noteChange(user: string | undefined): void {
    void this.#changed.emit(user);
  }

  /** @param check rejects as `call` does where the credential is missing */
  async call<Result>(
    server: string,
    context: ToolContext,
    { call, check }: { call: () => Promise<Result>; check: () => Promise<void> },
  ): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      if (!this.#isMissing(error) || !(await this.#ask(server, context, check))) throw error;
      return await call();
    }
  }

  #isMissing(error: unknown): boolean {
    return typeof error === "object" && error !== null && this.#failures.has(error);
  }

  async #ask(server: string, context: ToolContext, check: () => Promise<void>): Promise<boolean> {
    const { openSignInPage: openPage } = this.ports;
    if (openPage === undefined) return false;
    const isConnected = (): Promise<boolean> =>
      check().then(
        () => true,
        (error: unknown) => {
          if (this.#isMissing(error)) return false;
          throw error;
        },
      );
    const onChange = (listener: () => void): (() => void) =>
      this.#changed.on((user) => {
        if (user === undefined || user === context.actor.id) listener();
      });
    return await askSignIn({ server, context, openPage, isConnected, onChange });
  }
}

/** The protocol's identifier of a sign-in that clients show once. */
const QUESTION = "sign_in";
const NOTICE_MS = 10_000;
/** Progress has to grow; these steps stay below the progress that the tool reports once it runs. */
const NOTICE_STEP = 1e-6;

/**
 * Asks the caller of a call to connect their account on a page of Toolroom, and waits until they have.
 * @returns false where the caller cannot be asked, refuses, or does not connect in time
 * @throws the reason of the call's end
 */
async function askSignIn({ server, context, openPage, isConnected, onChange }: AskedSignIn): Promise<boolean> {
  const { interact, actor, toolName, signal } = context;
  const page = interact === undefined ? null : openPage({ server, user: actor.id, toolName });
  if (interact === undefined || page === null) return false;
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(page.limitMs)]);
  const connected = awaitConnected({ isConnected, onChange }, limit);
  const message = `Tool '${toolName}' uses your own account at '${server}': connect it on this page of Toolroom. The call then continues.`;
  const request: CallerRequest = { kind: "url", message, url: page.url, completed: connected };
  const resume = context.hold();
  const endNotices = notify(context);
  let isDone = false;
  try {
    isDone = await Promise.race([connected, askClient(interact, request, limit).then((agrees) => agrees && connected)]);
    return isDone;
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error;
    return false;
  } finally {
    endNotices();
    over.abort("The page is no longer needed");
    page.close(isDone);
    resume();
  }
}

/** False where the client cannot open pages, or its user refuses. */
async function askClient(interact: InteractionHandler, request: CallerRequest, signal: AbortSignal): Promise<boolean> {
  const answer: InteractionAnswer | null = await interact(request, signal, QUESTION);
  return answer?.action === "accept";
}

/** Rejects when the signal aborts. */
async function awaitConnected(
  { isConnected, onChange }: Pick<AskedSignIn, "isConnected" | "onChange">,
  signal: AbortSignal,
): Promise<boolean> {
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  if (signal.aborted) throw signal.reason;
  // Changes that were stored before this listened count too.
  let isNotified = true;
  let wake = (): void => {};
  const end = onChange(() => {
    isNotified = true;
    wake();
  });
  try {
    for (;;) {
      await Promise.race([
        ended,
        new Promise<void>((resolve) => {
          wake = resolve;
          if (isNotified) resolve();
        }),
      ]);
      isNotified = false;
      if (await isConnected()) return true;
    }
  } finally {
    end();
  }
}

/** Most clients extend the time that they give a call with each notice. */
function notify(context: ToolContext): () => void {
  let sent = 0;
  const timer = setInterval(() => {
    context.progress(sent * NOTICE_STEP, undefined, "Waiting for a sign-in");
    sent += 1;
  }, NOTICE_MS);
  return () => clearInterval(timer);
}
