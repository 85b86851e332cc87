import { existsSync } from "node:fs";
import path from "node:path";

/** The product's folder. */
const HOME = process.env.TOOLROOM_HOME || process.cwd();
/** Beside the package's bundle; a bundle of a clone is elsewhere. */
const PACKED = path.join(import.meta.dirname, "stories");

/** The path of a file with sample data. */
export function findStory(file: string): string {
  const folder = existsSync(PACKED) ? PACKED : path.join(HOME, "prisma/seed/stories");
  return path.join(folder, file);
}

/** The documents that come with the product. */
export const DOCS = path.join(HOME, "docs");
