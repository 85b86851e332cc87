import type { IdentityRefusal } from "../../engine/mcp-ports";

/** An endpoint that does not answer is not asked for each request. */
const REST_MS = 5_000;
const MAX_RESTING = 100;

/** Fails requests to an endpoint at once for some seconds after it could not be reached: a connection makes several. */
export class EndpointRest {
  readonly #resting = new Map<string, { until: number; error: unknown }>();

  constructor(private readonly now: () => number) {}

  async ask<Result>(endpoint: string, request: () => Promise<Result>): Promise<Result> {
    const resting = this.#resting.get(endpoint);
    const leftMs = (resting?.until ?? 0) - this.now();
    // More is left where the clock was put back.
    if (resting !== undefined && leftMs > 0 && leftMs <= REST_MS) throw resting.error;
    this.#resting.delete(endpoint);
    try {
      return await request();
    } catch (error) {
      const isUnavailable = error instanceof Error && error.name === "IdentityRefusal";
      if (isUnavailable && (error as IdentityRefusal).reason === "unavailable") {
        if (this.#resting.size >= MAX_RESTING) this.#resting.clear();
        this.#resting.set(endpoint, { until: this.now() + REST_MS, error });
      }
      throw error;
    }
  }
}
