import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { answerRest } from "../main/api/rest/answer-rest";
import type { Container } from "../main/container";
import { AppError } from "../platform/shared/app-error";
import type { CommandIo } from "./command-io";
import { runCommandLine } from "./main";

/** The REST API of a container on loopback. With a token, requests without it are refused. */
export async function serveRest(
  { services, stopping }: Pick<Container, "services" | "stopping">,
  token?: string,
  port = 0,
) {
  const server = createServer(async (incoming, outgoing) => {
    const body = await new Response(Readable.toWeb(incoming) as ReadableStream).text();
    const headers = new Headers(incoming.headers as Record<string, string>);
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method,
      headers,
      ...(incoming.method === "GET" || body === "" ? {} : { body }),
    });
    const isKnown = token === undefined || headers.get("authorization") === `Bearer ${token}`;
    const actor: Principal | null = isKnown ? LOCAL_PRINCIPAL : null;
    const response = await answerRest(request, {
      createContext: async () => ({
        actor,
        sessionId: null,
        source: "api",
        services,
        stopping,
        refusal: isKnown ? null : new AppError("UNAUTHENTICATED", "Send an API token"),
        recheck: async () => actor,
      }),
      readQuota: async () => null,
      version: "9.9.9",
      logger: { error: () => undefined, debug: () => undefined },
    });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) outgoing.write(piece);
    outgoing.end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Surroundings extends Partial<Omit<CommandIo, "stdin" | "stdout" | "stderr">> {
  stdin?: string;
  /** Stdout is a terminal. */
  isTTY?: boolean;
  onStdout?(text: string): void;
  onStderr?(text: string): void;
}

/** Runs a command line in this process. */
export async function runWords(
  words: readonly string[],
  { stdin, isTTY, onStdout, onStderr, ...io }: Surroundings = {},
): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") => {
    const stream = Object.assign(new PassThrough(), { isTTY: isTTY ?? false, columns: 120 });
    stream.on("data", (piece: Buffer) => {
      said[name] += piece.toString();
      (name === "stdout" ? onStdout : onStderr)?.(piece.toString());
    });
    return stream;
  };
  const code = await runCommandLine(words, {
    stdin: Readable.from([Buffer.from(stdin ?? "")]),
    stdout: collect("stdout"),
    stderr: collect("stderr"),
    env: {},
    cwd: process.cwd(),
    rootDir: process.cwd(),
    home: process.cwd(),
    version: "9.9.9",
    signal: new AbortController().signal,
    holdExit: () => undefined,
    start: () => Promise.reject(new Error("start is not expected")),
    serveStdio: () => Promise.reject(new Error("mcp is not expected")),
    seed: () => Promise.reject(new Error("a seed is not expected")),
    openCatalog: () => Promise.reject(new Error("an import is not expected")),
    ...io,
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...said };
}
