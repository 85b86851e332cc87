// Projects large results, and evaluates expressions whose cost nothing bounds. The server terminates this thread when a job
// takes too long.
import { parentPort } from "node:worker_threads";
import { compileLens, project, readData } from "./lens-evaluator.mjs";

parentPort?.on("message", ({ id, expression, resultText, fromServer }) => {
  try {
    const data = readData(JSON.parse(resultText), fromServer);
    const value = data === undefined ? { none: true } : project(compileLens(expression), data, resultText);
    parentPort?.postMessage({ id, value });
  } catch (error) {
    parentPort?.postMessage({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage({ ready: true });
