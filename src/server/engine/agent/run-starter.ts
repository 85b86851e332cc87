import type { Actor } from "../../../lib/contract/actor";
import type { RunEvent, RunSettings, RunSource, RunStatus } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToolFunction } from "../ports";

/** A tool that only one run knows; it is executed and recorded like any other. */
export interface ProvidedTool {
  definition: ToolDefinition;
  run: ToolFunction;
}

export interface RunRequest {
  /** Chosen by who must remember it before the run begins; made here when absent. */
  id?: string | undefined;
  settings: RunSettings;
  /** The text of the first message. */
  text: string;
  source: RunSource;
  actor: Actor;
  title?: string | undefined;
  transcriptId?: string | undefined;
}

export interface RunOutcome {
  id: string;
  status: RunStatus;
  /** The model's last text; empty where it returned none. */
  text: string;
  error: string | null;
  events: RunEvent[];
}

/** Lets a model use tools, in the background. */
export interface RunStarter {
  /**
   * Resolves once the first message is in the run's log; `ended` resolves when the turn is over, and never rejects.
   * @throws AppError for a provider that is unknown or not configured
   */
  start(request: RunRequest): Promise<{ id: string; ended: Promise<RunOutcome> }>;
  /** False when it was over already. */
  stop(id: string): Promise<{ stopped: boolean }>;
}
