import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export interface ProviderUser {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
  groups: string[];
}

/** Toolroom as a client of the provider. */
export const AT_PROVIDER = { id: "toolroom", secret: "secret-of-toolroom-at-the-provider" };
/** A program of a user, which asks the provider for tokens. */
export const CLI = { id: "cli", redirectUri: "http://127.0.0.1:45998/callback" };

/** The OpenID provider `oidc-provider` in a process of its own. */
export async function startForeignProvider() {
  const child = fork(path.join(import.meta.dirname, "serve.mjs"), { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const exited = once(child, "exit");
  const started = (await Promise.race([
    once(child, "message").then(([message]) => message),
    exited.then(() => Promise.reject(new Error(`The identity provider did not start: ${said}`))),
  ])) as { issuer: string };
  let last = 0;
  async function order(command: string, value: unknown): Promise<void> {
    last += 1;
    const id = last;
    const done = new Promise<void>((resolve) => {
      const listen = (message: { id?: number }): void => {
        if (message.id !== id) return;
        child.off("message", listen);
        resolve();
      };
      child.on("message", listen);
    });
    child.send({ id, command, value });
    await Promise.race([done, exited.then(() => Promise.reject(new Error(`The identity provider ended: ${said}`)))]);
  }
  return {
    issuer: started.issuer,
    addUser: (user: ProviderUser) => order("addUser", user),
    removeUser: (sub: string) => order("removeUser", sub),
    /** The address that Toolroom is answered at. */
    allowRedirect: (uri: string) => order("allowRedirect", uri),
    /** From now on another key signs, and the former one is not published any more. */
    rotate: (kid: string) => order("rotate", kid),
    async stop(): Promise<void> {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** A browser at the provider's pages: it keeps cookies, follows redirects, signs in and consents. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /** @returns the address outside of the provider to which it sends the browser */
  async visit(address: string | URL, login: string): Promise<URL> {
    const start = new URL(address);
    let url = start;
    let form: URLSearchParams | null = null;
    for (let steps = 0; steps < 20; steps += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response: Response = await fetch(url, {
        redirect: "manual",
        headers: { cookie },
        ...(form === null ? {} : { method: "POST", body: form }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        this.#cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location !== null) {
        url = new URL(location, url);
        form = null;
        if (url.origin !== start.origin) return url;
        continue;
      }
      const page = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      if (action === undefined || prompt === undefined) throw new Error(`${response.status}: ${page.slice(0, 2_000)}`);
      url = new URL(action, url);
      form = new URLSearchParams({ prompt, ...(prompt === "login" && { login, password: "any" }) });
    }
    throw new Error("The provider's pages do not end");
  }
}
