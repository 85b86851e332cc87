import { execFileSync } from "node:child_process";
import { ROOT } from "./project-root.mjs";

/** The seed of what long walks of a test run take: a number that follows from the commit, so that a failure is found again; 0 outside of a clone. */
export function readSampleSeed() {
  try {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    return String(Number.parseInt(commit.slice(0, 7), 16));
  } catch {
    return "0";
  }
}
