import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

/** A path outside the allowed folders, or no file. Users see the message. */
export class PathRefused extends Error {
  override readonly name = "PathRefused";
}

/**
 * Where a path really leads, links resolved; it need not exist. A relative one is below the first folder.
 * @throws PathRefused outside the folders; Error for a link that leads nowhere, which may change
 */
export async function allowedPath(requested: string, folders: readonly string[]): Promise<string> {
  if (requested.includes("\0")) throw new PathRefused("the path must not contain a NUL character");
  const real = await realOrFuture(path.resolve(folders[0] ?? path.sep, requested));
  for (const folder of folders) {
    const below = path.relative(await realOrFuture(path.resolve(folder)), real);
    if (below !== "" && below !== ".." && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below)) return real;
  }
  const allowed = folders.length === 0 ? "none is" : `allowed: ${folders.join(", ")}`;
  throw new PathRefused(
    `the file is outside the allowed folders (${allowed}). Move it, or add its folder to TOOLROOM_TRANSCRIPT_FOLDERS and restart`,
  );
}

/** Resolves the links of the part that exists. */
async function realOrFuture(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const now = await lstat(absolute).catch(() => null);
  if (now?.isSymbolicLink()) throw new Error("the path contains a broken symbolic link");
  // Created between the two calls.
  if (now !== null) return await realpath(absolute);
  const parent = path.dirname(absolute);
  if (parent === absolute) return absolute;
  return path.join(await realOrFuture(parent), path.basename(absolute));
}

export function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
}
