import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../src/lib/free-port.test-support";
import { waitUntil } from "../../src/lib/wait-until.test-support";

export type EngineName = "firefox" | "webkit";

/** The commands of W3C WebDriver that the journeys need, as each engine's own interface takes them. */
export interface WebDriver {
  command(name: CommandName, parameters?: Record<string, unknown>): Promise<unknown>;
  /** What the browser printed: the errors of its pages are among it. */
  output(): string;
  close(): Promise<void>;
}

/** WebDriver's path below the session, and Marionette's name. */
const COMMANDS = {
  navigate: ["POST", "/url", "WebDriver:Navigate"],
  back: ["POST", "/back", "WebDriver:Back"],
  script: ["POST", "/execute/async", "WebDriver:ExecuteAsyncScript"],
  actions: ["POST", "/actions", "WebDriver:PerformActions"],
  newWindow: ["POST", "/window/new", "WebDriver:NewWindow"],
  switchWindow: ["POST", "/window", "WebDriver:SwitchToWindow"],
  window: ["GET", "/window", "WebDriver:GetWindowHandle"],
  closeWindow: ["DELETE", "/window", "WebDriver:CloseWindow"],
  rect: ["POST", "/window/rect", "WebDriver:SetWindowRect"],
  timeouts: ["POST", "/timeouts", "WebDriver:SetTimeouts"],
  frame: ["POST", "/frame", "WebDriver:SwitchToFrame"],
  type: ["POST", "/element/{id}/value", "WebDriver:ElementSendKeys"],
  screenshot: ["GET", "/screenshot", "WebDriver:TakeScreenshot"],
} as const;

export type CommandName = keyof typeof COMMANDS;

interface Started {
  child: ChildProcess;
  output(): string;
  stop(): Promise<void>;
}

/** A process that ends with all that it started. */
function start(command: string, args: string[], env: Record<string, string>): Started {
  const child = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const ended = once(child, "exit").catch(() => undefined);
  return {
    child,
    output: () => text,
    async stop() {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
      await ended;
    },
  };
}

export async function openEngine(
  engine: EngineName,
  options: { dark?: boolean; downloads: string },
): Promise<WebDriver> {
  return engine === "firefox" ? await openFirefox(options) : await openWebKit(options);
}

/** Marionette is what geckodriver speaks to Firefox: lengths and JSON over a socket. */
async function openFirefox({ dark = false, downloads }: { dark?: boolean; downloads: string }): Promise<WebDriver> {
  const profile = await mkdtemp(path.join(tmpdir(), "toolroom-firefox-"));
  const preferences = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": false,
    "browser.startup.page": 0,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": false,
    "app.update.enabled": false,
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
    "browser.download.folderList": 2,
    "browser.download.dir": downloads,
    "browser.download.useDownloadDir": true,
    "browser.download.alwaysOpenPanel": false,
    "browser.helperApps.neverAsk.saveToDisk": "application/json,application/octet-stream",
    "devtools.console.stdout.content": true,
    "intl.accept_languages": "en-GB",
    "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1,
    "ui.prefersReducedMotion": 1,
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(path.join(profile, "user.js"), lines.join("\n"));
  const args = ["--marionette", "--headless", "--no-remote", "--profile", profile, "about:blank"];
  const firefox = start("firefox-esr", args, { HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1", TZ: "UTC" });
  const portFile = path.join(profile, "MarionetteActivePort");
  const port = await whenFound(firefox, async () => Number(existsSync(portFile) && (await readFile(portFile, "utf8"))));
  const { send, socket } = await connectMarionette(port);
  await send("WebDriver:NewSession", { capabilities: { alwaysMatch: { pageLoadStrategy: "eager" } } });
  return {
    output: firefox.output,
    command: (name, parameters = {}) => send(COMMANDS[name][2], parameters),
    async close() {
      socket.destroy();
      await firefox.stop();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function connectMarionette(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let unread = Buffer.alloc(0);
  let count = 0;
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const colon = unread.indexOf(":");
      const size = Number(unread.subarray(0, colon).toString());
      if (colon < 0 || unread.length < colon + 1 + size) return;
      const text = unread.subarray(colon + 1, colon + 1 + size).toString();
      unread = unread.subarray(colon + 1 + size);
      const message: unknown = JSON.parse(text);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error) asked?.reject(new Error(`${error.error}: ${error.message}`));
      else asked?.resolve(result?.value === undefined ? result : result.value);
    }
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox closed the connection"));
  });
  const send = (name: string, parameters: Record<string, unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      const text = JSON.stringify([0, count, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  return { send, socket };
}

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/** WebKitGTK needs a screen, and a folder for its sockets. */
async function openWebKit({ dark = false, downloads }: { dark?: boolean; downloads: string }): Promise<WebDriver> {
  const home = await mkdtemp(path.join(tmpdir(), "toolroom-webkit-"));
  await mkdir(path.join(home, "run"), { mode: 0o700 });
  await mkdir(path.join(home, ".config"));
  await writeFile(path.join(home, ".config", "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const screen = start("Xvfb", ["-displayfd", "1", "-screen", "0", "1500x1100x24", "-nolisten", "tcp"], {});
  const display = await whenFound(screen, async () => Number(/^\d+$/m.exec(screen.output())?.[0] ?? Number.NaN) + 1);
  const port = await freePort();
  const webkit = start("dbus-run-session", ["--", "WebKitWebDriver", `--port=${port}`, "--host=127.0.0.1"], {
    HOME: home,
    XDG_RUNTIME_DIR: path.join(home, "run"),
    XDG_CONFIG_HOME: path.join(home, ".config"),
    DISPLAY: `:${display - 1}`,
    GDK_BACKEND: "x11",
    LIBGL_ALWAYS_SOFTWARE: "1",
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    // It refuses to run as root, and what it opens is the console.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    TZ: "UTC",
    LANG: "C.UTF-8",
  });
  const send = async (method: string, target: string, body: unknown = {}): Promise<unknown> => {
    const init = method === "POST" ? { method, body: JSON.stringify(body) } : { method };
    const response = await fetch(`http://127.0.0.1:${port}${target}`, init);
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/status`).catch(() => null)) !== null);
  const args = ["--automation", "--enable-write-console-messages-to-stdout=true", ...(dark ? ["--dark-mode"] : [])];
  const options = { binary: MINI_BROWSER, args };
  const alwaysMatch = { pageLoadStrategy: "none", "webkitgtk:browserOptions": options };
  const { sessionId } = (await send("POST", "/session", { capabilities: { alwaysMatch } })) as { sessionId: string };
  return {
    output: webkit.output,
    command(name, parameters = {}) {
      const [method, target] = COMMANDS[name];
      return send(method, `/session/${sessionId}${target.replace("{id}", String(parameters.id))}`, parameters);
    },
    async close() {
      await send("DELETE", `/session/${sessionId}`).catch(() => undefined);
      await webkit.stop();
      await screen.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A number above 0 that a starting process gives. */
async function whenFound(started: Started, find: () => Promise<number>): Promise<number> {
  let found = 0;
  await waitUntil(
    async () => {
      if (started.child.exitCode !== null) throw new Error(`It ended: ${started.output()}`);
      found = await find();
      return found > 0;
    },
    { timeoutMs: 30_000 },
  ).catch(async (error: unknown) => {
    await started.stop();
    throw error;
  });
  return found;
}
