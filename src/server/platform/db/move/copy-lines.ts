import { StringDecoder } from "node:string_decoder";
import pg from "pg";
import type { TextClient } from "../postgres/text-client";

/** How many characters are read, or sent, at once. */
export const BATCH_CHARACTERS = 1_000_000;

/** The members of a connection that the types of `pg` leave out. */
interface CopyConnection {
  stream: { pause(): void; resume(): void };
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const getConnection = (client: TextClient): CopyConnection =>
  (client as unknown as { connection: CopyConnection }).connection;

/** Sends lines by `COPY … FROM STDIN`. */
class CopyIn extends pg.Query {
  readonly #lines: readonly string[];

  constructor(text: string, lines: readonly string[], callback: (error: Error | null) => void) {
    super(text, callback);
    this.#lines = lines;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(`${this.#lines.join("\n")}\n`));
    connection.endCopyFrom();
  }
}

/** Receives the data of `COPY … TO STDOUT`. */
class CopyOut extends pg.Query {
  readonly #onData: (chunk: Buffer) => void;

  constructor(text: string, onData: (chunk: Buffer) => void, callback: (error: Error | null) => void) {
    super(text, callback);
    this.#onData = onData;
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#onData(chunk);
  }
}

/** @param text `COPY … FROM STDIN` */
export function copyIn(client: TextClient, text: string, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(text, lines, (error) => (error ? reject(error) : resolve())));
  });
}

/** Reads no further than it is asked for. @param text `COPY … TO STDOUT` */
export async function* copyOut(client: TextClient, text: string): AsyncGenerator<string[]> {
  const { stream } = getConnection(client);
  const decoder = new StringDecoder();
  let lines: string[] = [];
  let characters = 0;
  let rest = "";
  let failure: Error | null = null;
  let isDone = false;
  let wake = (): void => undefined;

  const onData = (chunk: Buffer): void => {
    rest += decoder.write(chunk);
    characters += chunk.length;
    if (rest.endsWith("\n")) {
      lines.push(...rest.slice(0, -1).split("\n"));
      rest = "";
    }
    if (characters < BATCH_CHARACTERS) return;
    stream.pause();
    wake();
  };
  const onEnd = (error: Error | null): void => {
    failure = error;
    isDone = true;
    wake();
  };
  client.query(new CopyOut(text, onData, onEnd));
  for (;;) {
    if (!isDone && characters < BATCH_CHARACTERS) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== null) throw failure;
    const batch = lines;
    lines = [];
    characters = 0;
    const isLast = isDone;
    stream.resume();
    if (batch.length > 0) yield batch;
    if (isLast) return;
  }
}
