import type { RuleCase, RuleCaseInput } from "../../../lib/contract/rule-case";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A case without its result. */
export type StoredRuleCase = Omit<RuleCase, "result">;

export interface NewRuleCase {
  id: string;
  input: RuleCaseInput;
  at: number;
  by: string;
}

export interface RuleCaseStore {
  /** Lists cases by name. Rows that cannot be read are left out. */
  list(): Promise<StoredRuleCase[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(made: NewRuleCase): Promise<void>;
  /** @throws AppError with the code CONFLICT for a taken name and another version, NOT_FOUND for an unknown one */
  update(id: string, change: Omit<NewRuleCase, "id">, edit: Edit): Promise<void>;
  /** @throws the same errors as `update` */
  delete(id: string, edit: Edit): Promise<void>;
}
