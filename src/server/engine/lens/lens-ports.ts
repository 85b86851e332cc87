/** A result as the tool returned it. */
export interface LensInput {
  result: unknown;
  /** The result's JSON text. */
  resultText: string;
  /** The tool is of an MCP server: its result is a list of blocks. */
  fromServer: boolean;
}

/** `none`: the result has no data that an expression could read, so it stays as it is. */
export type Projection = { value: unknown; text: string } | { fault: string } | { none: true };

/** Evaluates lenses within limits of time, memory and output. */
export interface LensProjector {
  /** Returns the problem of an expression; null for a usable one. */
  check(expression: string): string | null;
  /** The data of a result that expressions read; undefined where it has none. */
  toData(input: LensInput): unknown;
  /**
   * Returns a value instead of a promise where both are small.
   * @param options `preview` keeps calls from waiting for it
   */
  project(
    expression: string,
    input: LensInput,
    options?: { preview?: boolean; signal?: AbortSignal },
  ): Projection | Promise<Projection>;
  close(): Promise<void>;
}

/** The lens of a tool; null for a tool without one. */
export type FindLens = (toolName: string) => { expression: string } | null;
