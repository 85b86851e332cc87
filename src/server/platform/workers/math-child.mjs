// Evaluates expressions that may need any amount of time and memory. Runs as a process of its own with a small heap:
// mathjs can exhaust memory in a way that ends the whole process, worker threads included.
import { evaluate } from "./math-evaluator.mjs";

process.on("message", (/** @type {{ id: number, expression: string }} */ { id, expression }) => {
  try {
    process.send?.({ id, value: evaluate(expression) });
  } catch (error) {
    process.send?.({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });
