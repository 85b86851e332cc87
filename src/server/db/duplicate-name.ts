import { isUniqueViolation } from "./sqlite/sqlite-error";

/** Recognise it by its name: classes differ between bundles. */
class DuplicateNameError extends Error {
  override readonly name = "DuplicateNameError";
}

/** @throws DuplicateNameError where the write breaks the rule that names are unique */
export async function takingName<T>(
  noun: "server" | "tool" | "model provider",
  name: string,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new DuplicateNameError(`There is already a ${noun} called '${name}'`);
    throw error;
  }
}
