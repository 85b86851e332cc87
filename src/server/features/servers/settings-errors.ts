import { AppError } from "../../app-error";
import type { SettingsProblem } from "./server-settings";

/** @throws AppError where the store says that the name is taken */
export async function takeName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Error && error.name === "DuplicateNameError") throw nameTaken(name);
    throw error;
  }
}

export function nameTaken(name: string): AppError {
  return new AppError("CONFLICT", `name '${name}' is already taken: choose another, or edit the server that has it`);
}

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
