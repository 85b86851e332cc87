import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and PostgreSQL, and cuts connections where a test says. */
export async function startFlakyProxy(url: string) {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let isDown = false;
  /** How many further answers pass before the next is lost with its connection; null for no loss. */
  let answersLeft: number | null = null;

  /** Connections that were opened before the last silence get no answer any more. */
  let silences = 0;

  const server = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        open.delete(socket);
        cut();
      });
    }
    const silenced = silences;
    client.on("data", (chunk) => {
      if (silenced === silences) upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (answersLeft === 0) {
        answersLeft = null;
        cut();
        return;
      }
      if (answersLeft !== null) answersLeft -= 1;
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: through.href,
    /** The server executes what it is asked; its answer, after some others, is lost. */
    loseAnswer(after = 0): void {
      answersLeft = after;
    },
    /** Open connections stay open, and nothing passes through them. */
    fallSilent(): void {
      silences += 1;
    },
    isWaiting: (): boolean => answersLeft !== null,
    goDown(): void {
      isDown = true;
      for (const socket of open) socket.destroy();
    },
    comeBack(): void {
      isDown = false;
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
