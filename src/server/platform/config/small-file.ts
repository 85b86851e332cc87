import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { moveFile } from "../../../../scripts/move-file.mjs";

/** A small private file that is read and replaced as a whole. */
export function createSmallFile(path: string) {
  return {
    path,
    /** @returns null where there is none @throws Error where it cannot be read */
    read(): string | null {
      try {
        return readFileSync(path, "utf8");
      } catch (error) {
        if ((error as { code?: unknown }).code === "ENOENT") return null;
        throw error;
      }
    },
    async replace(text: string): Promise<void> {
      const draft = `${path}.${process.pid}`;
      try {
        await writeFile(draft, text, { mode: 0o600 });
        await moveFile(draft, path);
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined);
        throw error;
      }
    },
  };
}
