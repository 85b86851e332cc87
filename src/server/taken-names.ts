import { AppError } from "./app-error";

type NamedThing = "server" | "tool" | "model provider";

export function nameTaken(name: string, noun: NamedThing): AppError {
  return new AppError("CONFLICT", `name '${name}' is already taken: choose another, or edit the ${noun} that has it`);
}

/** @throws AppError where the store says that the name is taken */
export async function takeName<T>(name: string, noun: NamedThing, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Error && error.name === "DuplicateNameError") throw nameTaken(name, noun);
    throw error;
  }
}
