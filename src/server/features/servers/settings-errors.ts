import { AppError } from "../../app-error";
import type { SettingsProblem } from "./server-settings";

export function noStoredValue(field: string): SettingsProblem {
  return { field, message: "is needed: nothing is stored for it, or it was stored for another address" };
}

export function sentence({ field, message }: SettingsProblem): string {
  return field === "" ? message : `${field} ${message}`;
}

export function invalid(problems: readonly SettingsProblem[]): AppError {
  const said = problems.map(sentence);
  return new AppError("INVALID", `The settings are invalid: ${said.join("; ")}`, said);
}
