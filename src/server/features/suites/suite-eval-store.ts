import type { Actor } from "../../../lib/contract/actor";
import type { Eval, EvalInput, EvalOrigin } from "../../../lib/contract/eval";

export interface EvalStore {
  /** Lists evals by suite, oldest first. Rows that cannot be read are left out. */
  list(suite?: string): Promise<Eval[]>;
  get(id: string): Promise<Eval | null>;
  countBySuite(): Promise<{ suite: string; evals: number }[]>;
  /** @throws AppError CONFLICT for a decision that is an eval already */
  create(id: string, input: EvalInput, by: Actor): Promise<Eval>;
  /** @param edit an absent revision overwrites any */
  update(id: string, input: EvalInput, edit: { by: Actor; revision?: number | undefined }): Promise<Eval>;
  delete(id: string, revision?: number): Promise<void>;
  /** The decisions of runs that are evals or were dismissed. */
  origins(): Promise<EvalOrigin[]>;
  /** Removes the decision from the candidates. */
  dismiss(id: string, origin: EvalOrigin, by: Actor): Promise<void>;
}
