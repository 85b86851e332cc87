// Evaluates expressions that may need any amount of time and memory. A process, since mathjs can exhaust memory in a way that
// ends the whole process, worker threads included.
import { evaluate } from "./math-expression";
import { serveJobs } from "./serve-jobs";

serveJobs(({ expression }: { expression: string }) => evaluate(expression));
