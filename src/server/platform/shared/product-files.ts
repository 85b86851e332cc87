import { existsSync } from "node:fs";
import path from "node:path";

/** Whether the product's files are those of the package, where everything is built, and not those of a clone. */
export const isPackage = (home: string): boolean => existsSync(path.join(home, "dist"));
