import { describeProblem } from "../../../lib/contract/problem";
import { AppError } from "./app-error";

export type NamedThing =
  | "server"
  | "tool"
  | "model provider"
  | "toolset"
  | "skill"
  | "suite"
  | "cassette"
  | "eval"
  | "rule"
  | "rule case";

/** A name that another one of its kind has. Recognized by its code, `CONFLICT`. */
export function nameConflict(noun: NamedThing, name: string): AppError {
  const message = `'${name}' is already taken: choose another, or edit the ${noun} that has it`;
  const problem = { path: "name", message };
  return new AppError("CONFLICT", describeProblem(problem), [problem]);
}
